/** A server looks for workers that drain after every commit; there are few of them among many. */
export function draining(): string[] {
  return ['create index worker_draining on worker (id) where draining = 1'];
}
