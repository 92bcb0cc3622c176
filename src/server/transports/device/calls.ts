import { prepareWAMessageMedia, type WAMediaUploadFunction, type WASocket } from "baileys";
import type { Logger } from "pino";
import type { trackWork } from "../track-work.ts";
import {
  type LaneHost,
  type LaneTransport,
  type Outcome,
  type OutgoingImage,
  StopError,
} from "../transport.ts";
import type { Acks } from "./acks.ts";
import type { AskedGroups } from "./ask-ahead.ts";
import { baileysLog } from "./baileys-log.ts";
import { buildContent, lastsAt, packMedia, thumbnailOf } from "./content.ts";
import type { DeviceDeps } from "./device-deps.ts";
import { stopOf } from "./faults.ts";
import type { Link } from "./link.ts";
import { lookUp } from "./lookup.ts";
import { mediaUploads } from "./media-upload.ts";
import { type Screen, UNKNOWN_LOCK_MS } from "./screen.ts";
import { sendLetter } from "./send.ts";
import type { DeviceTiming } from "./timing.ts";

type CallDeps = {
  device: DeviceDeps;
  timing: DeviceTiming;
  host: LaneHost;
  link: Link;
  acks: Acks;
  screen: Screen;
  groups: AskedGroups;
  wire: ReturnType<typeof trackWork>;
};

const NOT_CONNECTED = { kind: "stop", cause: "not_connected", retryAt: null } as const;

/** What a lane asks of an open device. */
export function calls(deps: CallDeps): Pick<Required<LaneTransport>, "lookup" | "upload" | "lasts" | "send"> {
  const { device, timing, host, link, acks, screen, groups, wire } = deps;
  const { clock, log } = device;
  const now = () => clock.now();
  const uploadOf = mediaUploads(now, log, timing.uploadTimeoutMs);
  /** Refusals 463 in a row while WhatsApp said that the number is not restricted. */
  let refusedInRow = 0;
  /** People refused for their devices (479) since somebody was reached. */
  const refusedForDevices = new Set<string>();
  /** Images in a row that did not reach WhatsApp's media host. */
  let imagesLost = 0;
  let counted = link.creds();

  /** What was counted of one number says nothing of the one that is linked after it. */
  function usable(): WASocket | null {
    const creds = link.creds();
    if (creds !== counted) {
      counted = creds;
      refusedInRow = 0;
      imagesLost = 0;
      refusedForDevices.clear();
    }
    return host.mayAct() ? link.open() : null;
  }

  /** Under a restriction neither numbers are looked up nor messages sent: either would prolong it. */
  const restricted = () => {
    const until = screen.timelockedUntil();
    return until && ({ kind: "stop", cause: "timelocked", retryAt: until.getTime() } as const);
  };

  return {
    lookup: async (phone) => {
      const sock = usable();
      if (!sock) return NOT_CONNECTED;
      return restricted() ?? wire.run(() => lookUp(sock, phone, now()));
    },
    upload: (image) =>
      wire.run(async () => {
        const sock = usable();
        if (!sock) throw new StopError("not_connected");
        try {
          const uploaded = await uploadImage(uploadOf(sock), image, log);
          imagesLost = 0;
          screen.imagesRefused(false);
          return uploaded;
        } catch (error) {
          log.warn({ err: error }, "image not uploaded");
          const cause = link.open() ? (stopOf(error, now())?.cause ?? "upload_failed") : "not_connected";
          if (cause === "upload_failed") imagesLost += 1;
          if (imagesLost >= IMAGES_LOST) screen.imagesRefused(true);
          throw new StopError(cause);
        }
      }),
    lasts: (media) => lastsAt(now(), media),
    send: (message): Promise<Outcome> =>
      wire.run(async () => {
        const sock = usable();
        const stop = sock ? restricted() : NOT_CONNECTED;
        if (!sock || stop) return stop ?? NOT_CONNECTED;
        const content = buildContent(message, message.messageId, link.creds().advSecretKey);
        const timelockEnds = async () => {
          const until = await askTimelock(sock, screen, now(), log);
          refusedInRow += 1;
          if (until || refusedInRow <= FEW_REFUSALS) return until;
          return lockUntil(screen, null, now());
        };
        const outcome = await sendLetter(
          { sock, acks, groups, now, log, timelockEnds, mayAct: () => host.mayAct() && !message.left?.() },
          { jid: message.to.jid, messageId: message.messageId, content },
        );
        if (outcome.kind === "accepted") {
          refusedInRow = 0;
          refusedForDevices.clear();
          screen.devicesRefused(false);
        } else if (outcome.kind === "stop" && outcome.cause === "devices_refused") {
          refusedForDevices.add(message.to.jid);
          if (refusedForDevices.size > FEW_REFUSALS) screen.devicesRefused(true);
        }
        return outcome;
      }),
  };
}

async function uploadImage(upload: WAMediaUploadFunction, image: OutgoingImage, log: Logger) {
  const jpegThumbnail = (await thumbnailOf(image)).toString("base64");
  const message = await prepareWAMessageMedia(
    {
      image: Buffer.from(image.bytes),
      mimetype: image.mime,
      width: image.width,
      height: image.height,
      jpegThumbnail,
    },
    { upload, logger: baileysLog(log) },
  );
  return packMedia(message);
}

/**
 * So many people in a row may be refused with 463 (or 479) by themselves. More are the number's trouble, whatever WhatsApp says of it: else a
 * whole campaign would be called failed.
 */
const FEW_REFUSALS = 3;

/** One upload may fail by itself, and the next attempt is seconds away. More than that is said, for nothing with an image goes on. */
const IMAGES_LOST = 2;

/** WhatsApp did not say whether the number is restricted: asked again, by the next refusal, after this long. */
const UNANSWERED_LOCK_MS = 5 * 60_000;

/**
 * When WhatsApp's restriction on new conversations ends; null when WhatsApp says that there is none, so that the refusal is about this
 * person. Baileys never asks by itself after a refusal 463 (its branch cannot be reached). An unanswered question reaches no screen: it
 * proves no restriction.
 */
async function askTimelock(sock: WASocket, screen: Screen, now: Date, log: Logger): Promise<Date | null> {
  const answer = await sock.fetchAccountReachoutTimelock().catch((error: unknown) => {
    log.warn({ err: error }, "WhatsApp did not say whether the number is restricted");
    return null;
  });
  if (!answer) return new Date(now.getTime() + UNANSWERED_LOCK_MS);
  if (!answer.isActive) return null;
  return lockUntil(screen, answer.timeEnforcementEnds ?? null, now);
}

/** The number is restricted, and the screen says until when, as far as anybody knows. */
function lockUntil(screen: Screen, end: Date | null, now: Date): Date {
  const until = end ?? new Date(now.getTime() + UNKNOWN_LOCK_MS);
  screen.timelock({ until, known: end !== null });
  return until;
}
