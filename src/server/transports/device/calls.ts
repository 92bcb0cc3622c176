import type { AuthenticationCreds, WASocket } from "baileys";
import { AppError } from "../../../domain/errors.ts";
import {
  type LaneHost,
  type LookupResult,
  type Outcome,
  type OutgoingFile,
  type StopCause,
  StopError,
  type WireMessage,
} from "../transport.ts";
import type { WorkTracker } from "../work-tracker.ts";
import type { Acks } from "./acks.ts";
import { buildContent, lastsAt, sidesOf } from "./content.ts";
import type { DeviceDeps } from "./device-deps.ts";
import { stopOf } from "./errors.ts";
import type { Link } from "./link.ts";
import { lookUp } from "./lookup.ts";
import { mediaUploads } from "./media-upload.ts";
import type { NewChatQuota } from "./new-chats.ts";
import type { AskedGroups } from "./prefetch.ts";
import { FEW_REFUSALS, Restriction } from "./restriction.ts";
import type { Screen } from "./screen.ts";
import { sendAndAwaitAck } from "./send.ts";
import type { Timelocks } from "./timelock.ts";
import type { DeviceTiming } from "./timing.ts";
import { uploadFile } from "./upload-file.ts";

type CallDeps = {
  device: DeviceDeps;
  timing: DeviceTiming;
  host: LaneHost;
  link: Link;
  acks: Acks;
  screen: Screen;
  timelocks: Timelocks;
  newChats: NewChatQuota;
  groups: AskedGroups;
  wire: WorkTracker;
};

const DELETES = "7";

const NOT_CONNECTED = { kind: "stop", cause: "not_connected", retryAt: null } as const;

/** What a lane calls while it sends. Counts of one number say nothing about the next linked one. */
export class DeviceCalls {
  readonly #deps: CallDeps;
  readonly #uploadOf: ReturnType<typeof mediaUploads>;
  readonly #restriction: Restriction;
  readonly #refusedForDevices = new Set<string>();
  #uploadsLost = 0;
  #counted: AuthenticationCreds;

  constructor(deps: CallDeps) {
    const { device, timing, link, screen, timelocks } = deps;
    const now = () => device.clock.now();
    this.#deps = deps;
    this.#uploadOf = mediaUploads(now, device.log, timing.uploadTimeoutMs);
    this.#restriction = new Restriction({
      screen,
      timelocks,
      readQuota: () => deps.newChats.read(),
      now,
      log: device.log,
    });
    this.#counted = link.creds();
  }

  coldWaitsUntil(): Date | null {
    return this.#restriction.until();
  }

  lasts(media: unknown): boolean {
    return lastsAt(this.#now(), media);
  }

  async lookup(phone: string, isWarm?: () => Promise<boolean>): Promise<LookupResult> {
    const sock = this.#usable();
    if (!sock) return NOT_CONNECTED;
    const stop = await this.#restriction.stopFor(isWarm);
    return stop ?? this.#deps.wire.run(() => lookUp(sock, phone, this.#now()));
  }

  upload(file: OutgoingFile): Promise<unknown> {
    return this.#deps.wire.run(() => this.#upload(file));
  }

  send(message: WireMessage): Promise<Outcome> {
    return this.#deps.wire.run(() => this.#send(message));
  }

  #now(): Date {
    return this.#deps.device.clock.now();
  }

  #usable(): WASocket | null {
    const { host, link } = this.#deps;
    const creds = link.creds();
    if (creds !== this.#counted) {
      this.#counted = creds;
      this.#restriction.forget();
      this.#uploadsLost = 0;
      this.#refusedForDevices.clear();
    }
    return host.mayAct() ? link.open() : null;
  }

  async #upload(file: OutgoingFile): Promise<unknown> {
    const { device, screen } = this.#deps;
    const sock = this.#usable();
    if (!sock) throw new StopError("not_connected");
    try {
      const uploaded = await uploadFile(this.#uploadOf(sock), file, device.log);
      this.#uploadsLost = 0;
      screen.uploadsRefused(false);
      return uploaded;
    } catch (error) {
      if (error instanceof AppError) throw error;
      device.log.warn({ err: error }, "file not uploaded");
      throw new StopError(this.#uploadError(error));
    }
  }

  #uploadError(error: unknown): StopCause {
    const { link, screen } = this.#deps;
    const cause = link.open() ? (stopOf(error, this.#now())?.cause ?? "upload_failed") : "not_connected";
    if (cause === "upload_failed") this.#uploadsLost += 1;
    if (this.#uploadsLost >= UPLOADS_LOST) screen.uploadsRefused(true);
    return cause;
  }

  async #send(message: WireMessage): Promise<Outcome> {
    const { device, host, link, acks, groups } = this.#deps;
    const sock = this.#usable();
    const stop = sock ? await this.#restriction.stopFor(message.isWarm) : NOT_CONNECTED;
    if (!sock || stop) return stop ?? NOT_CONNECTED;
    const { messageId, to } = message;
    const creds = link.creds();
    const content = buildContent(message, messageId, creds.advSecretKey, sidesOf(creds.me, to.jid));
    const deletes = message.bearing?.what === "delete";
    const outcome = await sendAndAwaitAck(
      {
        sock,
        acks,
        groups,
        now: () => this.#now(),
        log: device.log,
        newConversation: () => this.#restriction.refused(sock, message.isWarm),
        mayAct: () => host.mayAct() && !message.signal?.aborted,
      },
      { jid: to.jid, messageId, content, ...(deletes ? { edit: DELETES } : {}) },
    );
    this.#count(outcome, to.jid);
    return outcome;
  }

  #count(outcome: Outcome, jid: string): void {
    const { screen } = this.#deps;
    if (outcome.kind === "accepted") {
      this.#restriction.accepted();
      this.#refusedForDevices.clear();
      screen.devicesRefused(false);
    } else if (outcome.kind === "stop" && outcome.cause === "devices_refused") {
      this.#refusedForDevices.add(jid);
      if (this.#refusedForDevices.size > FEW_REFUSALS) screen.devicesRefused(true);
    }
  }
}

/**
 * One upload may fail by chance, and the next attempt is seconds away. More failures are shown, because no
 * file is sent.
 */
const UPLOADS_LOST = 2;
