/** What happens later in the simulated world: receipts, replies, late acknowledgements. */
export type Schedule = {
  /** Milliseconds since the epoch, as the simulated world counts them. */
  now(): number;
  /** Runs `task` after `ms` milliseconds of this clock. */
  after(ms: number, task: () => void): void;
  /** Stops the clock: from now on it moves only through `advance`. */
  hold(): void;
  /** Moves a held clock on, running what falls due in order of time. Answers how many tasks ran. */
  advance(ms: number): number;
  /** Lets the clock run again. */
  release(): void;
  /** Forgets everything scheduled. */
  clear(): void;
};

type Task = { due: number; run: () => void; timer?: NodeJS.Timeout };

/** A clock that runs by itself, or by hand, so that a test decides when a receipt arrives. */
export function makeSchedule(present: () => number = Date.now): Schedule {
  const tasks = new Set<Task>();
  let held: number | undefined;
  const now = () => held ?? present();

  function start(task: Task) {
    task.timer = setTimeout(() => finish(task), Math.max(0, task.due - present()));
    task.timer.unref();
  }
  function stop(task: Task) {
    clearTimeout(task.timer);
  }
  function finish(task: Task) {
    tasks.delete(task);
    task.run();
  }
  function nextUntil(limit: number): Task | undefined {
    let first: Task | undefined;
    for (const task of tasks) if (task.due <= limit && (!first || task.due < first.due)) first = task;
    return first;
  }

  return {
    now,
    after(ms, run) {
      const task: Task = { due: now() + ms, run };
      tasks.add(task);
      if (held === undefined) start(task);
    },
    hold() {
      held ??= present();
      for (const task of tasks) stop(task);
    },
    advance(ms) {
      if (held === undefined) throw new Error("the clock runs by itself: hold it first");
      const limit = held + ms;
      let ran = 0;
      for (let task = nextUntil(limit); task; task = nextUntil(limit)) {
        held = Math.max(held, task.due);
        finish(task);
        ran += 1;
      }
      held = limit;
      return ran;
    },
    release() {
      held = undefined;
      for (const task of tasks) start(task);
    },
    clear() {
      for (const task of tasks) stop(task);
      tasks.clear();
    },
  };
}
