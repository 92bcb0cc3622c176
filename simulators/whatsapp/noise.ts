import {
  aesDecryptGCM,
  aesEncryptGCM,
  type BinaryNode,
  Curve,
  decodeBinaryNode,
  encodeBinaryNode,
  hkdf,
  NOISE_MODE,
  NOISE_WA_HEADER,
  proto,
  sha256,
} from "baileys";
import type { NoiseCertificates } from "./certificates.ts";

const EMPTY = Buffer.alloc(0);

function counterIv(counter: number): Buffer {
  const iv = Buffer.alloc(12);
  iv.writeUInt32BE(counter >>> 0, 8);
  return iv;
}

function framed(bytes: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(3 + bytes.length);
  frame.writeUIntBE(bytes.length, 0, 3);
  frame.set(bytes, 3);
  return frame;
}

function twoKeys(material: Uint8Array, salt: Buffer): [Buffer, Buffer] {
  const bytes = Buffer.from(hkdf(Buffer.from(material), 64, { salt, info: "" }));
  return [bytes.subarray(0, 32), bytes.subarray(32)];
}

/** Frame: 3 bytes of length, then data; the first bytes are the intro. */
export function frameReader() {
  let buffer: Buffer = EMPTY;
  let introSeen = false;

  function readIntro() {
    // "ED": routing information, used only by a real edge.
    if (buffer.subarray(0, 2).toString() === "ED") buffer = buffer.subarray(7 + buffer.readUIntBE(4, 3));
    if (!buffer.subarray(0, NOISE_WA_HEADER.length).equals(NOISE_WA_HEADER))
      throw new Error("not a WhatsApp client");
    buffer = buffer.subarray(NOISE_WA_HEADER.length);
    introSeen = true;
  }

  return (bytes: Buffer): Buffer[] => {
    buffer = buffer.length > 0 ? Buffer.concat([buffer, bytes]) : bytes;
    if (!introSeen) readIntro();
    const frames: Buffer[] = [];
    while (buffer.length >= 3) {
      const end = 3 + buffer.readUIntBE(0, 3);
      if (buffer.length < end) break;
      frames.push(buffer.subarray(3, end));
      buffer = buffer.subarray(end);
    }
    return frames;
  };
}

/** Server side of Noise_XX_25519_AESGCM_SHA256; Baileys has only the client side. */
export function noiseServer(certificates: NoiseCertificates) {
  const ephemeral = Curve.generateKeyPair();
  let hash: Buffer = Buffer.from(NOISE_MODE);
  let salt = hash;
  let key = hash;
  let counter = 0;
  let writeKey = EMPTY as Buffer;
  let readKey = EMPTY as Buffer;
  let writes = 0;
  let reads = 0;

  const authenticate = (data: Uint8Array) => {
    hash = sha256(Buffer.concat([hash, data]));
  };
  const mixIn = (shared: Uint8Array) => {
    [salt, key] = twoKeys(shared, salt);
    counter = 0;
  };
  const encrypt = (plain: Uint8Array) => {
    const sealed = aesEncryptGCM(plain, key, counterIv(counter++), hash);
    authenticate(sealed);
    return sealed;
  };
  const decrypt = (sealed: Uint8Array) => {
    const plain = aesDecryptGCM(sealed, key, counterIv(counter++), hash);
    authenticate(sealed);
    return plain;
  };
  authenticate(NOISE_WA_HEADER);

  return {
    hello(frame: Buffer): Buffer {
      const clientEphemeral = proto.HandshakeMessage.decode(frame).clientHello?.ephemeral;
      if (!clientEphemeral) throw new Error("handshake without a client key");
      authenticate(clientEphemeral);
      authenticate(ephemeral.public);
      mixIn(Curve.sharedKey(ephemeral.private, clientEphemeral));
      const sealedKey = encrypt(certificates.serverKey.public);
      mixIn(Curve.sharedKey(certificates.serverKey.private, clientEphemeral));
      const payload = encrypt(certificates.chain);
      const serverHello = { ephemeral: ephemeral.public, static: sealedKey, payload };
      return framed(proto.HandshakeMessage.encode({ serverHello }).finish());
    },
    finish(frame: Buffer): { clientKey: Buffer; payload: proto.IClientPayload } {
      const end = proto.HandshakeMessage.decode(frame).clientFinish;
      if (!end?.static || !end.payload) throw new Error("handshake without an end");
      const clientKey = decrypt(end.static);
      mixIn(Curve.sharedKey(ephemeral.private, clientKey));
      const payload = proto.ClientPayload.decode(decrypt(end.payload));
      [readKey, writeKey] = twoKeys(EMPTY, salt);
      return { clientKey, payload };
    },
    encode: (node: BinaryNode): Buffer =>
      framed(aesEncryptGCM(encodeBinaryNode(node), writeKey, counterIv(writes++), EMPTY)),
    decode: (frame: Buffer): Promise<BinaryNode> =>
      decodeBinaryNode(aesDecryptGCM(frame, readKey, counterIv(reads++), EMPTY)),
  };
}
