import { AppError } from "../../domain/errors.ts";

/** WhatsApp plays a voice note only from OGG. The Opus packets stay as they are. Throws `attachment_corrupt`. */
export async function asOggVoice(file: string): Promise<Uint8Array> {
  const bunny = await import("mediabunny");
  const source = new bunny.FilePathSource(file, { handleUnhandledError: () => undefined });
  const input = new bunny.Input({ formats: bunny.ALL_FORMATS, source });
  try {
    const track = await input.getPrimaryAudioTrack();
    const decoderConfig = await track?.getDecoderConfig();
    if (!track || !decoderConfig) throw new AppError("attachment_corrupt");
    const target = new bunny.BufferTarget();
    const output = new bunny.Output({ format: new bunny.OggOutputFormat(), target });
    const packets = new bunny.EncodedAudioPacketSource("opus");
    output.addAudioTrack(packets);
    await output.start();
    for await (const packet of new bunny.EncodedPacketSink(track).packets())
      await packets.add(packet, { decoderConfig });
    await output.finalize();
    if (!target.buffer) throw new AppError("attachment_corrupt");
    return new Uint8Array(target.buffer);
  } catch (error) {
    throw error instanceof AppError ? error : new AppError("attachment_corrupt");
  } finally {
    input.dispose();
  }
}
