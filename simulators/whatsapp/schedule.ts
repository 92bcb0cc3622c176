export type Schedule = {
  now(): number;
  after(ms: number, task: () => void): void;
  hold(): void;
  advance(ms: number): number;
  release(): void;
  clear(): void;
};

type Task = { due: number; run: () => void; timer?: NodeJS.Timeout };

/** A held clock lets a test decide when a receipt arrives. */
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
