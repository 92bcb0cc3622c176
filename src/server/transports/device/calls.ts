import { prepareWAMessageMedia, type WASocket } from "baileys";
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
import { buildContent, packMedia, thumbnailOf } from "./content.ts";
import type { DeviceDeps } from "./device-deps.ts";
import { stopOf } from "./faults.ts";
import type { Link } from "./link.ts";
import { lookUp } from "./lookup.ts";
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
  wire: ReturnType<typeof trackWork>;
};

const NOT_CONNECTED = { kind: "stop", cause: "not_connected", retryAt: null } as const;

/** What a lane asks of an open device. */
export function calls(deps: CallDeps): Pick<Required<LaneTransport>, "lookup" | "upload" | "send"> {
  const { device, timing, host, link, acks, screen, wire } = deps;
  const { clock, log } = device;
  const now = () => clock.now();
  const usable = (): WASocket | null => (host.mayAct() ? link.open() : null);

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
          return await uploadImage(sock, image, timing.uploadTimeoutMs, log);
        } catch (error) {
          log.warn({ err: error }, "image not uploaded");
          throw new StopError(
            link.open() ? (stopOf(error, now())?.cause ?? "upload_failed") : "not_connected",
          );
        }
      }),
    send: (message): Promise<Outcome> =>
      wire.run(async () => {
        const sock = usable();
        const stop = sock ? restricted() : NOT_CONNECTED;
        if (!sock || stop) return stop ?? NOT_CONNECTED;
        const content = buildContent(message, message.messageId, link.creds().advSecretKey);
        const timelockEnds = () => askTimelock(sock, screen, now());
        return sendLetter(
          { sock, acks, now, log, timelockEnds, mayAct: () => host.mayAct() },
          { jid: message.to.jid, messageId: message.messageId, content },
        );
      }),
  };
}

async function uploadImage(sock: WASocket, image: OutgoingImage, timeoutMs: number, log: Logger) {
  const jpegThumbnail = (await thumbnailOf(image)).toString("base64");
  const message = await prepareWAMessageMedia(
    {
      image: Buffer.from(image.bytes),
      mimetype: image.mime,
      width: image.width,
      height: image.height,
      jpegThumbnail,
    },
    { upload: sock.waUploadToServer, logger: baileysLog(log), mediaUploadTimeoutMs: timeoutMs },
  );
  return packMedia(message);
}

/**
 * When WhatsApp's restriction on new conversations ends. Baileys never asks by itself after a refusal 463 (its branch cannot be
 * reached); what the question finds also reaches the screen through its event.
 */
async function askTimelock(sock: WASocket, screen: Screen, now: Date): Promise<Date> {
  await sock.fetchAccountReachoutTimelock().catch(() => undefined);
  const known = screen.timelockedUntil();
  if (known) return known;
  const until = new Date(now.getTime() + UNKNOWN_LOCK_MS);
  screen.timelock({ until, known: false });
  return until;
}
