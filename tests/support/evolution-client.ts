import { AppError } from "../../src/domain/errors.ts";
import type { GuardedRequest } from "../../src/server/net/exchange.ts";
import { EvolutionClient } from "../../src/server/transports/gateway/evolution-client.ts";
import { type RecordedCall, recordedLines } from "./gateway-recordings.ts";

const NOW = new Date("2026-11-20T12:00:00Z");

type Asked = { url: string; request: GuardedRequest };

export function answering(status: number, answer: unknown, apiKey = "global-key") {
  const asked: Asked[] = [];
  const body = Buffer.from(typeof answer === "string" ? answer : JSON.stringify(answer));
  const client = new EvolutionClient({
    guardedFetch: {
      fetch: async (url, request) => {
        asked.push({ url, request });
        return { status, headers: {}, body };
      },
    },
    baseUrl: "http://evolution:8080",
    apiKey,
    now: () => NOW,
  });
  return { client, asked };
}

export function recorded(file: string, name: string): RecordedCall {
  const found = recordedLines<RecordedCall>(file).find((one) => one.name === name);
  if (!found) throw new Error(`no recording ${file} ${name}`);
  return found;
}

export async function reading<T>(
  file: string,
  name: string,
  read: (client: EvolutionClient) => Promise<T>,
): Promise<T> {
  const { status, answer } = recorded(file, name);
  return read(answering(status, answer).client);
}

export async function errorOf(promise: Promise<unknown>): Promise<AppError> {
  const error: unknown = await promise.then(
    () => new Error("it was answered"),
    (error: unknown) => error,
  );
  if (!(error instanceof AppError)) throw error;
  return error;
}

export const AUTH = "01-auth-and-instances";
export const OFFLINE = "02-create-connect-baileys";
export const CHANNEL = "04-evolution-channel";
export const HOOKS = "05-webhook-set-and-delivery";
export const LINKING = "09a-baileys-against-simulator";
export const OPEN = "09b-baileys-open-flow";
export const PAIRING = "09c-baileys-pairing-code-and-reconnect";
