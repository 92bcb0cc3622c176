import type { z } from "zod";
import type { FieldError } from "../../contract/error-messages.ts";
import { INSTANCE_NAME, type NewInstance } from "../../contract/gateways.ts";
import { AppError } from "../../domain/errors.ts";
import { readPhone } from "../../domain/phone-foreign.ts";
import { fieldError } from "../http/errors.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import type { EvolutionClient } from "../transports/gateway/evolution-client.ts";
import type { WantedWebhook } from "../transports/gateway/evolution-requests.ts";
import { isProbe } from "./probe.ts";
import { readWebhookUrl } from "./user-webhook.ts";

export const BAILEYS = "WHATSAPP-BAILEYS";

/** Header-safe, as the token is the instance's key. */
const TOKEN = /^[\x21-\x7e]{1,255}$/;

export type Wanted = { name: string; token: string; number: string; relayUrl: string | null };

/** Gateways accept empty names, numbers without country code and any address. */
export function readNewInstance(
  guard: Pick<GuardedFetch, "check">,
  body: z.output<typeof NewInstance>,
): Wanted {
  const token = body.token.trim();
  const errors: Record<string, FieldError> = {};
  if (body.instanceName === "") errors.instanceName = "required";
  else if (!INSTANCE_NAME.test(body.instanceName) || isProbe(body.instanceName))
    errors.instanceName = "instance_name_invalid";
  if (token === "") errors.token = "required";
  else if (!TOKEN.test(token)) errors.token = "invalid_text";
  const reading = readPhone(body.number);
  if (body.number.trim() === "") errors.number = "required";
  else if ("error" in reading) errors.number = reading.error;
  if (Object.keys(errors).length > 0 || "error" in reading) throw fieldError(errors);
  return {
    name: body.instanceName,
    token,
    number: reading.phone,
    relayUrl: readWebhookUrl(guard, body.webhook, "webhook"),
  };
}

const NO: readonly AppError["code"][] = ["instance_name_taken", "gateway_wrong_key", "license_required"];

/** Refused or not sent; after other errors the instance may exist. */
function isRefusal({ code, details }: AppError): boolean {
  const { sent, status } = details;
  return NO.includes(code) || sent === false || (typeof status === "number" && status >= 400 && status < 500);
}

/**
 * After a lost answer, our name and token identify it. `releaseMs`: after a 400 the gateway holds the name
 * about 1 s (recording 07a); an immediate retry would fail.
 */
export async function makeInstance(
  client: Pick<EvolutionClient, "createInstance" | "fetchInstances">,
  { name, token, number }: Wanted,
  webhook: WantedWebhook,
  releaseMs: number,
): Promise<void> {
  try {
    await client.createInstance({ name, token, number, webhook });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.details.status === 400) await new Promise((resolve) => setTimeout(resolve, releaseMs));
    if (isRefusal(error)) throw error;
    const there = await client.fetchInstances(name).catch(() => []);
    if (!there.some((row) => row.name === name && row.token === token)) throw error;
  }
}
