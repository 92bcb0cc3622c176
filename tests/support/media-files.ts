import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  MkvOutputFormat,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
  type OutputFormat,
  WebMOutputFormat,
} from "mediabunny";

type Tracks = { video?: "avc" | "hevc" | "vp9"; audio?: "opus" | "aac" | "mp3" };

/** 20 ms of silence. */
const OPUS = Uint8Array.of(0xf8, 0xff, 0xfe);
const OPUS_S = 0.02;

/** Baseline, 64 × 48. */
const SPS = Uint8Array.from(Buffer.from("6742c00a da02 0c 92 50 00 00 03".replaceAll(" ", ""), "hex"));
const PPS = Uint8Array.of(0x68, 0xce, 0x3c, 0x80);
const AVCC = Uint8Array.of(1, 0x42, 0xc0, 0x0a, 0xff, 0xe1, 0, SPS.length, ...SPS, 1, 0, PPS.length, ...PPS);

const HVCC = Uint8Array.of(
  1,
  1,
  0x60,
  0,
  0,
  0,
  0x90,
  0,
  0,
  0,
  0,
  0,
  0x5d,
  0xf0,
  0,
  0xfc,
  0xfd,
  0xf8,
  0xf8,
  0,
  0,
  0x0f,
  0,
);
const OPUS_HEAD = Uint8Array.of(...Buffer.from("OpusHead"), 1, 1, 0x38, 1, 0x80, 0xbb, 0, 0, 0, 0, 0);
const DESCRIPTIONS = { avc: AVCC, hevc: HVCC, aac: Uint8Array.of(0x11, 0x88), opus: OPUS_HEAD };

const CODECS = { avc: "avc1.42c00a", hevc: "hev1.1.6.L93.B0", vp9: "vp09.00.10.08" } as const;

async function made(format: OutputFormat, { video, audio }: Tracks, seconds: number): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const pictures = video ? new EncodedVideoPacketSource(video) : null;
  const sound = audio ? new EncodedAudioPacketSource(audio) : null;
  if (pictures) output.addVideoTrack(pictures);
  if (sound) output.addAudioTrack(sound);
  await output.start();
  for (let at = 0; pictures && video && at < seconds; at += 1) {
    const config = {
      codec: CODECS[video],
      codedWidth: 64,
      codedHeight: 48,
      ...(video === "vp9" ? {} : { description: DESCRIPTIONS[video] }),
    };
    const frame = Uint8Array.of(0, 0, 0, 4, 0x65, 0x88, 0x84, at & 0xff);
    await pictures.add(new EncodedPacket(frame, "key", at, 1), { decoderConfig: config });
  }
  for (let at = 0; sound && audio && at < seconds; at += OPUS_S) {
    const config = { codec: audio === "aac" ? "mp4a.40.2" : audio, sampleRate: 48_000, numberOfChannels: 1 };
    const description = audio === "mp3" ? {} : { description: DESCRIPTIONS[audio] };
    const packet = new EncodedPacket(OPUS, "key", at, OPUS_S);
    await sound.add(packet, { decoderConfig: { ...config, ...description } });
  }
  await output.finalize();
  if (!target.buffer) throw new Error("nothing was written");
  return Buffer.from(target.buffer);
}

export const mp4 = (tracks: Tracks, seconds = 2) => made(new Mp4OutputFormat(), tracks, seconds);
export const webm = (tracks: Tracks, seconds = 2) => made(new WebMOutputFormat(), tracks, seconds);
export const mkv = (tracks: Tracks, seconds = 2) => made(new MkvOutputFormat(), tracks, seconds);
export const oggVoice = (seconds = 2) => made(new OggOutputFormat(), { audio: "opus" }, seconds);

export const pdf = (words = "Boleto") => Buffer.from(`%PDF-1.4\n% ${words}\ntrailer<</Root 1 0 R>>\n%%EOF\n`);
