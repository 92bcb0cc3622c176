import type { Control } from "./control-answers.ts";
import { CALL_NAMES, type CallName } from "./control-requests.ts";
import { refusal } from "./refusal.ts";

async function call(controlUrl: string, name: CallName, request: unknown): Promise<unknown> {
  const response = await fetch(`${controlUrl}/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request ?? {}),
  });
  const body: unknown = await response.json();
  if (response.ok) return body;
  const code = typeof body === "object" && body !== null && "error" in body ? String(body.error) : "unknown";
  throw refusal(code);
}

/** A refusal is an error whose `code` gives the reason (`qr_expired`, `no_such_account` …). */
export function connectSimulator(controlUrl: string): Control {
  const calls = CALL_NAMES.map((name) => [name, (request: unknown) => call(controlUrl, name, request)]);
  return Object.fromEntries(calls) as Control;
}
