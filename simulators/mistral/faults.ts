import type { ServerResponse } from "node:http";
import { errorBody } from "./answers.ts";

export type MistralError =
  | { kind: "rate_limited"; retryAfter?: string | number }
  | { kind: "server_error"; status?: number }
  | { kind: "refuse"; status: number; body: unknown }
  | { kind: "redirect"; to: string }
  | { kind: "slow"; ms: number }
  | { kind: "hang" | "garbage" | "html" | "reset" | "flood" };

export async function misbehave(fault: MistralError, response: ServerResponse): Promise<boolean> {
  const json = { "content-type": "application/json" };
  switch (fault.kind) {
    case "slow":
      await new Promise((resolve) => setTimeout(resolve, fault.ms));
      return true;
    case "rate_limited": {
      const wait = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
      response.writeHead(429, { ...json, ...wait });
      response.end(JSON.stringify(errorBody("Rate limit exceeded", "rate_limited", "1300")));
      break;
    }
    case "server_error":
      response.writeHead(fault.status ?? 500, json);
      response.end(JSON.stringify(errorBody("Internal server error", "internal_server_error", "1000")));
      break;
    case "refuse":
      response.writeHead(fault.status, json).end(JSON.stringify(fault.body));
      break;
    case "redirect":
      response.writeHead(307, { location: fault.to }).end();
      break;
    case "garbage":
      response.writeHead(200, json).end('{"object":"list","data":[{"id":"ag_');
      break;
    case "html":
      response.writeHead(200, { "content-type": "text/html" }).end("<html><body>Bem-vindo</body></html>");
      break;
    case "flood":
      flood(response.writeHead(200, json));
      break;
    case "reset":
      response.destroy();
      break;
    case "hang":
      break;
  }
  return false;
}

function flood(response: ServerResponse): void {
  const piece = Buffer.alloc(256_000, 32);
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on("drain", more);
  more();
}
