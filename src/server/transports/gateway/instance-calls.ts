import { Readable } from "node:stream";
import { z } from "zod";
import { ATTACHMENT_KINDS, GATEWAY_BYTES } from "../../../domain/attachment.ts";
import { ninthDigitForms, readChatId } from "../../../domain/chat-id.ts";
import type { Clock } from "../../../domain/clock.ts";
import { AppError } from "../../../domain/errors.ts";
import {
  type Address,
  FileError,
  type IncomingMessage,
  type LookupResult,
  type Outcome,
  type StopCause,
  type WantedFile,
  type WireMessage,
} from "../transport.ts";
import type { WorkTracker } from "../work-tracker.ts";
import type { Monitor } from "./monitor.ts";
import type { Reached } from "./reached.ts";
import { readBase64 } from "./read-message.ts";
import { outcomeOfError } from "./send-outcome.ts";
import type { NumberAnswer } from "./shapes.ts";

export const BAILEYS = "WHATSAPP-BAILEYS";

/** Maximum per search; no customer gets more of our messages in that time. */
const PAGE = 50;
const PAGES = 4;
/** The gateway's clock may differ from ours. */
const CLOCKS_MS = 10 * 60_000;
/** The gateway holds the call for that time. */
const TYPING_MS = 5_000;

type CallDeps = {
  monitor: Pick<Monitor, "reached" | "accepted" | "refused" | "look">;
  wire: WorkTracker;
  clock: Clock;
  /** The lane owns the connection and the instance is open. */
  mayCall: () => boolean;
  /** Not open, or no answer; it may be open again before the next poll. */
  notOpen: () => void;
};

const NOT_CONNECTED = { kind: "stop", cause: "not_connected", retryAt: null } as const;

/** Waiting does not end these. */
const REFUSED = new Set<StopCause>(["wrong_key", "gone", "license_required"]);

/** What a lane calls while it sends. */
export class InstanceCalls {
  readonly #deps: CallDeps;

  constructor(deps: CallDeps) {
    this.#deps = deps;
  }

  send(message: WireMessage): Promise<Outcome> {
    return this.#deps.wire.run(async () => {
      const at = this.#usable();
      return at ? this.#heed(await sendMessage(at, message)) : NOT_CONNECTED;
    });
  }

  lookup(phone: string): Promise<LookupResult> {
    const { wire, clock } = this.#deps;
    return wire.run(async () => {
      const at = this.#usable();
      return at ? this.#heed(await lookUp(at, phone, clock.now())) : NOT_CONNECTED;
    });
  }

  async sentTo(address: Address, since: Date): Promise<readonly IncomingMessage[]> {
    const { monitor, clock } = this.#deps;
    const at = monitor.reached();
    if (!at) throw new AppError("gateway_unreachable", { reason: "closed", sent: false });
    return sentTo(at, address, since, clock.now());
  }

  async fetchFile(wanted: WantedFile): Promise<AsyncIterable<Uint8Array>> {
    const at = this.#usable();
    if (at?.access.integration !== BAILEYS) throw new FileError(at ? "gone" : "unreachable");
    return fetchFile(at, wanted);
  }

  async groupSubject(jid: string): Promise<string | null> {
    const at = this.#usable();
    if (at?.access.integration !== BAILEYS) return null;
    return at.client.groupSubject(at.access.name, jid);
  }

  async typing(jid: string, ms: number): Promise<void> {
    const at = this.#usable();
    if (at?.access.integration !== BAILEYS) return;
    await at.client.sendPresence(at.access.name, { to: jid, delayMs: Math.min(ms, TYPING_MS) });
  }

  #usable(): Reached | null {
    return this.#deps.mayCall() ? this.#deps.monitor.reached() : null;
  }

  #heed<Result extends Outcome | LookupResult>(result: Result): Result {
    const { monitor, notOpen } = this.#deps;
    if (result.kind === "stop" && result.cause === "not_connected") notOpen();
    if (result.kind === "accepted") monitor.accepted();
    else if (result.kind === "stop" && REFUSED.has(result.cause)) monitor.refused(result.cause);
    // The instance may no longer be open.
    else if (result.kind === "stop" || result.kind === "ambiguous") monitor.look();
    return result;
  }
}

function sendMessage({ access, client }: Reached, message: WireMessage): Promise<Outcome> {
  const { jid } = message.to;
  // Other channels need digits.
  const to = access.integration === BAILEYS ? jid : jid.replace(/@s\.whatsapp\.net$/, "");
  const { bearing, onWire, text } = message;
  if (bearing && bearing.what !== "quote") {
    if (access.integration !== BAILEYS)
      return Promise.resolve({ kind: "refused", code: "gateway_refused", passing: false });
    return bearing.what === "react"
      ? client.sendReaction(access.name, to, bearing.of, text, onWire)
      : client.deleteForEveryone(access.name, to, bearing.of, onWire);
  }
  const quoted = bearing?.of ?? null;
  if (!message.hasAttachment) return client.sendText(access.name, { to, text, quoted }, onWire);
  const { data: file } = GatewayFile.safeParse(message.media);
  if (!file) return Promise.resolve({ kind: "stop", cause: "upload_failed", retryAt: null });
  return client.sendFile(access.name, { to, caption: text, ...file, quoted }, onWire);
}

async function fetchFile(
  { access, client }: Reached,
  { providerId, size, ...wanted }: WantedFile,
): Promise<AsyncIterable<Uint8Array>> {
  if ((size ?? 0) > GATEWAY_BYTES) throw new FileError("too_large");
  const most = Math.min(wanted.most, GATEWAY_BYTES);
  const base64 = await client.fetchMedia(access.name, providerId, most).catch((error: unknown) => {
    throw fileError(error);
  });
  if ((base64.length * 3) / 4 > most + 3) throw new FileError("too_large");
  const bytes = readBase64(base64, most);
  if (!bytes) throw new FileError("changed", "no file in base64");
  return Readable.from([bytes]);
}

/** «Message not found», «Media re-upload failed by device (NOT_FOUND)», «status code 410». */
const GONE = /not[ _]found|not of the media type|\b(404|410)\b/i;

function fileError(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, details } = error;
  if (code === "gateway_garbage" && details.reason === "too_large") return new FileError("too_large");
  const gone = code === "gateway_failed" && GONE.test(String(details.message));
  return new FileError(gone ? "gone" : "unreachable", code);
}

const GatewayFile = z.object({
  kind: z.enum(ATTACHMENT_KINDS),
  mime: z.string(),
  name: z.string(),
  base64: z.string(),
});

/**
 * Both forms: only WhatsApp knows which an account has, and the gateway's own rule removes a digit from
 * arbitrary numbers.
 */
async function lookUp({ access, client }: Reached, phone: string, now: Date): Promise<LookupResult> {
  const forms = ninthDigitForms(phone);
  let answers: NumberAnswer[];
  try {
    answers = await client.whatsappNumbers(access.name, forms);
  } catch (error) {
    return lookupStop(error, now);
  }
  const byForm = forms.map((form) => answers.find(({ number }) => number.replace(/\D/g, "") === form));
  const found = byForm.find((answer) => answer?.exists);
  // Stored, it would count as the number's for a week.
  if (found && readChatId(found.jid).kind !== "phone")
    return { kind: "stop", cause: "lookup_failed", retryAt: null };
  if (found) return { kind: "found", address: { jid: found.jid, lid: found.lid } };
  const silent = byForm.some((answer) => answer === undefined);
  return silent ? { kind: "stop", cause: "lookup_failed", retryAt: null } : { kind: "absent" };
}

const RATE_PAUSE_MS = 60_000;

function lookupStop(error: unknown, now: Date): LookupResult {
  if (!(error instanceof AppError)) throw error;
  const { code, details } = error;
  const human = (cause: StopCause): LookupResult => ({ kind: "stop", cause, retryAt: "human" });
  if (code === "gateway_wrong_key") return human("wrong_key");
  if (code === "instance_unknown") return human("gone");
  if (code === "license_required") return human("license_required");
  if (code === "gateway_failed" && details.status === 429)
    return { kind: "stop", cause: "rate_limited", retryAt: now.getTime() + RATE_PAUSE_MS };
  const closed = code === "gateway_failed" && /Connection Closed/.test(String(details.message));
  const unsent = outcomeOfError(error).kind === "stop";
  return { kind: "stop", cause: closed || unsent ? "not_connected" : "lookup_failed", retryAt: null };
}

/** Under all addresses. Throws when the query failed. */
async function sentTo(
  { access, client }: Reached,
  { jid, lid }: Address,
  since: Date,
  now: Date,
): Promise<IncomingMessage[]> {
  const digits = !jid.includes("@");
  const jids =
    digits && access.integration === BAILEYS
      ? ninthDigitForms(jid).map((form) => `${form}@s.whatsapp.net`)
      : [jid];
  const between = { from: new Date(since.getTime() - CLOCKS_MS), to: new Date(now.getTime() + CLOCKS_MS) };
  const found = new Map<string, IncomingMessage>();
  for (const remoteJid of [...jids, ...(lid === null ? [] : [lid])]) {
    for (let page = 1; page <= PAGES; page++) {
      const search = { remoteJid, fromMe: true, between, page, pageSize: PAGE } as const;
      const { pages, messages } = await client.findMessages(access.name, search);
      for (const { message } of messages) if (message?.fromMe) found.set(message.providerId, message);
      if (page >= pages) break;
    }
  }
  return [...found.values()];
}
