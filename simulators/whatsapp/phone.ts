import { randomBytes } from "node:crypto";
import {
  aesDecryptCTR,
  aesDecryptGCM,
  aesEncryptCTR,
  Curve,
  derivePairingCodeKey,
  hkdf,
  hmacSign,
  type KeyPair,
  proto,
  WA_ADV_ACCOUNT_SIG_PREFIX,
  WA_ADV_DEVICE_SIG_PREFIX,
} from "baileys";
import { verifySignature } from "./curve.ts";
import type { Identity } from "./signal.ts";

export type QrContent = { ref: string; noiseKey: Buffer; identity: Buffer; secret: Buffer };

/** `https://wa.me/settings/linked_devices#ref,noise,identity,secret,platform`. */
export function readQr(qr: string): QrContent | undefined {
  const [ref, noiseKey, identity, secret] = qr.slice(qr.indexOf("#") + 1).split(",");
  if (!ref || !noiseKey || !identity || !secret) return undefined;
  const bytes = (text: string) => Buffer.from(text, "base64");
  return { ref, noiseKey: bytes(noiseKey), identity: bytes(identity), secret: bytes(secret) };
}

/** `proof` is sealed with the QR's secret. */
export type SignedCompanion = { details: Buffer; proof: Buffer };

export function signCompanion(
  phone: Identity,
  companionIdentity: Buffer,
  secret: Buffer,
  keyIndex: number,
  nowSeconds: number,
): SignedCompanion {
  const { signedIdentityKey } = phone.creds;
  const deviceIdentity = { rawId: 1, timestamp: nowSeconds, keyIndex };
  const details = Buffer.from(proto.ADVDeviceIdentity.encode(deviceIdentity).finish());
  const vouched = Buffer.concat([WA_ADV_ACCOUNT_SIG_PREFIX, details, companionIdentity]);
  const signed = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: signedIdentityKey.public,
    accountSignature: Curve.sign(signedIdentityKey.private, vouched),
  }).finish();
  const proof = proto.ADVSignedDeviceIdentityHMAC.encode({
    details: signed,
    hmac: hmacSign(signed, secret),
  }).finish();
  return { details, proof: Buffer.from(proof) };
}

export function companionAgreed(
  phone: Identity,
  companionIdentity: Buffer,
  details: Buffer,
  answer: Uint8Array,
): boolean {
  const { deviceSignature } = proto.ADVSignedDeviceIdentity.decode(answer);
  const account = phone.creds.signedIdentityKey.public;
  const agreed = Buffer.concat([WA_ADV_DEVICE_SIG_PREFIX, details, companionIdentity, account]);
  return Boolean(deviceSignature && verifySignature(companionIdentity, agreed, deviceSignature));
}

export type CodePairing = { ephemeral: KeyPair; companionEphemeral: Buffer };

export async function typeCode(code: string, wrappedCompanionKey: Buffer) {
  const companionCode = await derivePairingCodeKey(code, wrappedCompanionKey.subarray(0, 32));
  const companionEphemeral = aesDecryptCTR(
    wrappedCompanionKey.subarray(48, 80),
    companionCode,
    wrappedCompanionKey.subarray(32, 48),
  );
  const ephemeral = Curve.generateKeyPair();
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  const sealed = aesEncryptCTR(ephemeral.public, await derivePairingCodeKey(code, salt), iv);
  const pairing: CodePairing = { ephemeral, companionEphemeral };
  return { pairing, wrappedPhoneKey: Buffer.concat([salt, iv, sealed]) };
}

export function finishCode(phone: Identity, pairing: CodePairing, wrappedBundle: Buffer) {
  const { signedIdentityKey } = phone.creds;
  const shared = Curve.sharedKey(pairing.ephemeral.private, pairing.companionEphemeral);
  const info = "link_code_pairing_key_bundle_encryption_key";
  const key = hkdf(shared, 32, { salt: wrappedBundle.subarray(0, 32), info });
  const plain = aesDecryptGCM(
    wrappedBundle.subarray(44),
    key,
    wrappedBundle.subarray(32, 44),
    Buffer.alloc(0),
  );
  const companionIdentity = plain.subarray(0, 32);
  if (!plain.subarray(32, 64).equals(signedIdentityKey.public))
    throw new Error("key bundle for another phone");
  const identities = Curve.sharedKey(signedIdentityKey.private, companionIdentity);
  const material = Buffer.concat([shared, identities, plain.subarray(64, 96)]);
  return { companionIdentity, secret: Buffer.from(hkdf(material, 32, { info: "adv_secret" })) };
}
