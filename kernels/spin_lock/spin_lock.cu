// A critical section behind a lock. The lane that gets the lock leaves it in the same turn of the loop, so lanes that meet there,
// or take turns, make progress. Under the bound `serial`, where lanes do neither, those that spin run first: a livelock.
extern "C" __global__ void spin_lock(unsigned *lock, volatile unsigned *counter, unsigned rounds)
{
	for (unsigned k = 0; k < rounds; k++) {
		bool done = false;
		while (!done) {
			if (atomicCAS(lock, 0, 1) == 0) {
				unsigned c = counter[0];
				counter[1] = counter[1] + c;
				counter[0] = c + 1;
				__threadfence();
				atomicExch(lock, 0);
				done = true;
			}
		}
	}
}
