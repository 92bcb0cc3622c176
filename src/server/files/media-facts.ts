import type { InputAudioTrack, InputTrack, InputVideoTrack } from "mediabunny";
import { AppError } from "../../domain/errors.ts";

export type MediaFacts = {
  container: string;
  video: { codec: string; width: number; height: number } | null;
  audio: { codec: string } | null;
  seconds: number;
};

/**
 * Reads a video or sound without decoding it. Throws `attachment_corrupt` for a broken or truncated file:
 * the last packet of each track must be there.
 */
export async function mediaFacts(file: string): Promise<MediaFacts> {
  const { ALL_FORMATS, EncodedPacketSink, FilePathSource, Input } = await import("mediabunny");
  const source = new FilePathSource(file, {
    maxCacheSize: 1024 * 1024,
    handleUnhandledError: () => undefined,
  });
  const input = new Input({ formats: ALL_FORMATS, source });
  try {
    const format = await input.getFormat();
    const [video, audio] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()];
    if (!video && !audio) throw new AppError("attachment_corrupt");
    const ends = async (track: InputTrack) => {
      const last = await new EncodedPacketSink(track as InputAudioTrack | InputVideoTrack).getPacket(
        Infinity,
      );
      if (!last || last.byteLength === 0) throw new AppError("attachment_corrupt");
      return last.timestamp + last.duration;
    };
    const seconds = Math.max(
      ...(await Promise.all([video, audio].flatMap((track) => (track ? ends(track) : [])))),
    );
    return {
      container: format.mimeType,
      video: video && { codec: await codecOf(video), ...(await sizeOf(video)) },
      audio: audio && { codec: await codecOf(audio) },
      seconds,
    };
  } catch (error) {
    throw error instanceof AppError ? error : new AppError("attachment_corrupt");
  } finally {
    input.dispose();
  }
}

const codecOf = async (track: InputTrack) => (await track.getCodec()) ?? "unknown";

const sizeOf = async (track: InputVideoTrack) => ({
  width: await track.getDisplayWidth(),
  height: await track.getDisplayHeight(),
});
