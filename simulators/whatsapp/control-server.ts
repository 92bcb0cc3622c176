import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Control } from "./control-answers.ts";
import { CALL_NAMES, type CallName } from "./control-requests.ts";
import { isRefusal } from "./refusal.ts";

const isCall = (name: string): name is CallName => (CALL_NAMES as string[]).includes(name);

export async function serveControl(
  control: Control,
  port = 0,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    answer(control, request).then(
      (body) => reply(response, 200, body),
      (error: unknown) => {
        const known = isRefusal(error);
        reply(response, known ? 409 : 500, { error: known ? error.code : String(error) });
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(control: Control, request: IncomingMessage): Promise<unknown> {
  const name = (request.url ?? "/").slice(1);
  if (!isCall(name)) throw Object.assign(new Error("no_such_call"), { code: "no_such_call" });
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const call = control[name] as (body: unknown) => Promise<unknown>;
  return call(text === "" ? {} : JSON.parse(text));
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
