import type { Evolution } from "../../simulators/evolution/evolution.ts";

export async function callThere<T = Record<string, unknown>>(
  { url, apiKey }: Evolution,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const headers = { apikey: apiKey, "content-type": "application/json" };
  const answer = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as T;
}

export const webhookOf = (server: Evolution, name: string) =>
  callThere(server, "GET", `/webhook/find/${encodeURIComponent(name)}`);

export const madeThere = (server: Evolution, instanceName: string, more: object = {}) =>
  callThere(server, "POST", "/instance/create", { instanceName, integration: "WHATSAPP-BAILEYS", ...more });
