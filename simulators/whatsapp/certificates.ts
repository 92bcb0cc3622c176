import { Curve, type KeyPair, proto } from "baileys";
import { generate } from "selfsigned";

const FAR_FUTURE = 4_102_444_800;

export type NoiseCertificates = { rootPublic: Buffer; serverKey: KeyPair; chain: Buffer };

/** Signing takes 12 ms, so done once per run. */
export function makeNoiseCertificates(): NoiseCertificates {
  const root = Curve.generateKeyPair();
  const intermediate = Curve.generateKeyPair();
  const serverKey = Curve.generateKeyPair();
  const details = (serial: number, issuerSerial: number, key: Uint8Array) =>
    proto.CertChain.NoiseCertificate.Details.encode({
      serial,
      issuerSerial,
      key,
      notBefore: 0,
      notAfter: FAR_FUTURE,
    }).finish();
  const intermediateDetails = details(1, 0, intermediate.public);
  const leafDetails = details(2, 1, serverKey.public);
  const chain = proto.CertChain.encode({
    intermediate: {
      details: intermediateDetails,
      signature: Curve.sign(root.private, intermediateDetails),
    },
    leaf: { details: leafDetails, signature: Curve.sign(intermediate.private, leafDetails) },
  }).finish();
  return { rootPublic: Buffer.from(root.public), serverKey, chain: Buffer.from(chain) };
}

/** PEM. */
export type MediaCertificates = { authority: string; key: string; certificate: string };

export async function makeMediaCertificates(): Promise<MediaCertificates> {
  const authority = await generate([{ name: "commonName", value: "Recado simulator media authority" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const host = await generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    algorithm: "sha256",
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "localhost" },
          { type: 7, ip: "127.0.0.1" },
        ],
      },
    ],
  });
  return { authority: authority.cert, key: host.private, certificate: host.cert };
}
