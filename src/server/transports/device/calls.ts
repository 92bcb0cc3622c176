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
import { baileysLog } from "./baileys-log.ts";
import { buildContent, lastsAt, packMedia, thumbnailOf } from "./content.ts";
import type { DeviceDeps } from "./device-deps.ts";
import { stopOf } from "./errors.ts";
import type { Link } from "./link.ts";
import { lookUp } from "./lookup.ts";
import { mediaUploads } from "./media-upload.ts";
import type { AskedGroups } from "./prefetch.ts";
import { FEW_REFUSALS, Restriction } from "./restriction.ts";
import type { Screen } from "./screen.ts";
import { sendAndAwaitAck } from "./send.ts";
import type { Timelocks } from "./timelock.ts";
import type { DeviceTiming } from "./timing.ts";

type CallDeps = {
  device: DeviceDeps;
  timing: DeviceTiming;
  host: LaneHost;
  link: Link;
  acks: Acks;
  screen: Screen;
  timelocks: Timelocks;
  groups: AskedGroups;
  wire: ReturnType<typeof trackWork>;
};

const NOT_CONNECTED = { kind: "stop", cause: "not_connected", retryAt: null } as const;

type Call = "lookup" | "upload" | "lasts" | "send" | "coldWaitsUntil";

export function calls(deps: CallDeps): Pick<Required<LaneTransport>, Call> {
  const { device, timing, host, link, acks, screen, groups, wire } = deps;
  const { clock, log } = device;
  const now = () => clock.now();
  const uploadOf = mediaUploads(now, log, timing.uploadTimeoutMs);
  const restriction = new Restriction({ screen, timelocks: deps.timelocks, now, log });
  const refusedForDevices = new Set<string>();
  let imagesLost = 0;
  let counted = link.creds();

  /** Counts of one number say nothing about the next linked one. */
  function usable(): WASocket | null {
    const creds = link.creds();
    if (creds !== counted) {
      counted = creds;
      restriction.forget();
      imagesLost = 0;
      refusedForDevices.clear();
    }
    return host.mayAct() ? link.open() : null;
  }

  return {
    coldWaitsUntil: () => restriction.until(),
    lookup: async (phone, isWarm) => {
      const sock = usable();
      if (!sock) return NOT_CONNECTED;
      return (await restriction.stopFor(isWarm)) ?? wire.run(() => lookUp(sock, phone, now()));
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
        const stop = sock ? await restriction.stopFor(message.isWarm) : NOT_CONNECTED;
        if (!sock || stop) return stop ?? NOT_CONNECTED;
        const content = buildContent(message, message.messageId, link.creds().advSecretKey);
        const newConversation = () => restriction.refused(sock, message.isWarm);
        const outcome = await sendAndAwaitAck(
          {
            sock,
            acks,
            groups,
            now,
            log,
            newConversation,
            mayAct: () => host.mayAct() && !message.signal?.aborted,
          },
          { jid: message.to.jid, messageId: message.messageId, content },
        );
        if (outcome.kind === "accepted") {
          restriction.accepted();
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
 * One upload may fail by chance, and the next attempt is seconds away. More failures are shown, because no
 * image is sent.
 */
const IMAGES_LOST = 2;
