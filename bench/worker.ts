import { fork } from "node:child_process";
import { once } from "node:events";

/** A separate process that answers calls, so that a variant keeps its warm code and memory between runs. */
export type Worker<Request, Answer> = {
  ask(request: Request): Promise<Answer>;
  stop(): Promise<void>;
};

export function startWorker<Request, Answer>(file: string, args: string[] = []): Worker<Request, Answer> {
  const execArgv = [...process.execArgv, "--expose-gc"];
  const child = fork(file, args, { serialization: "advanced", execArgv });
  const ended = once(child, "exit");
  return {
    async ask(request) {
      const answered = once(child, "message");
      child.send(request as object);
      const [message] = (await Promise.race([
        answered,
        ended.then(([code]) => [{ error: `${file} ended with ${code}` }]),
      ])) as [{ answer: Answer } | { error: string }];
      if ("error" in message) throw new Error(message.error);
      return message.answer;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

export function serveWorker<Request>(
  handler: (request: Request) => Promise<unknown>,
  close: () => Promise<void> = async () => undefined,
): void {
  process.on("message", (request: Request) => {
    handler(request).then(
      (answer) => process.send?.({ answer }),
      (error: unknown) =>
        process.send?.({ error: error instanceof Error ? (error.stack ?? "") : String(error) }),
    );
  });
  process.on("disconnect", () => void close().finally(() => process.exit()));
}
