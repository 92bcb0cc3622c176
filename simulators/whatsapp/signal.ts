import {
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  encodeWAMessage,
  generateRegistrationId,
  generateSignalPubKey,
  type KeyPair,
  proto,
  type SignalCreds,
  signedKeyPair,
  unpadRandomMax16,
} from "baileys";
import pino from "pino";
import { makeKeyStore, makeSessionStore } from "./session-store.ts";

const PRE_KEY_ID = 1;
const silent = pino({ level: "silent" });

export type KeyBundle = {
  registrationId: number;
  identityKey: Uint8Array;
  signedPreKey: { keyId: number; publicKey: Uint8Array; signature: Uint8Array };
  preKey?: { keyId: number; publicKey: Uint8Array };
};

export type Identity = ReturnType<typeof makeIdentity>;

function makeIdentity(sessions: ReturnType<typeof makeSessionStore>) {
  const signedIdentityKey = Curve.generateKeyPair();
  const preKey: KeyPair = Curve.generateKeyPair();
  const creds: SignalCreds = {
    registrationId: generateRegistrationId(),
    signedIdentityKey,
    signedPreKey: signedKeyPair(signedIdentityKey, 1),
  };
  const keys = makeKeyStore(sessions, preKey);
  const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds, keys }, silent, async () => []);
  const bundle: KeyBundle = {
    registrationId: creds.registrationId,
    identityKey: signedIdentityKey.public,
    signedPreKey: {
      keyId: creds.signedPreKey.keyId,
      publicKey: creds.signedPreKey.keyPair.public,
      signature: creds.signedPreKey.signature,
    },
    preKey: { keyId: PRE_KEY_ID, publicKey: preKey.public },
  };
  return { creds, repository, bundle };
}

export type DeviceAddress = { lid: string; device: number };
export type Party = { phone: string; identity: Identity };
export type Encrypted = { type: "pkmsg" | "msg"; ciphertext: Uint8Array };

/**
 * Keyed by (person, device), because one repository serves many people. Addresses never enter a ciphertext.
 */
const sessionJid = (party: Party, device: DeviceAddress) =>
  `${party.phone}x${device.lid}:${device.device}@lid`;

/** Signing an identity costs 6 ms, so people share a pool; a number that links devices gets its own. */
export class SignalWorld {
  readonly #sessions: ReturnType<typeof makeSessionStore>;
  readonly #pool: Identity[] = [];
  readonly #poolSize: number;

  constructor({ poolSize = 16, maxSessions = 50_000 } = {}) {
    this.#poolSize = poolSize;
    this.#sessions = makeSessionStore(maxSessions);
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  ownIdentity(): Identity {
    return makeIdentity(this.#sessions);
  }

  pooledIdentity(phone: string): Identity {
    const place = Number(phone.slice(-6)) % this.#poolSize || 0;
    const identity = this.#pool[place] ?? makeIdentity(this.#sessions);
    this.#pool[place] = identity;
    return identity;
  }

  async decrypt(party: Party, from: DeviceAddress, encrypted: Encrypted): Promise<proto.Message> {
    const plain = await party.identity.repository.decryptMessage({
      jid: sessionJid(party, from),
      ...encrypted,
    });
    return proto.Message.decode(unpadRandomMax16(plain));
  }

  /** `bundle` is called only without a session, or with `renew`. */
  async encrypt(
    party: Party,
    to: DeviceAddress,
    message: proto.IMessage,
    bundle: () => KeyBundle,
    renew = false,
  ): Promise<Encrypted> {
    const { repository } = party.identity;
    const jid = sessionJid(party, to);
    const known = !renew && (await repository.validateSession(jid)).exists;
    if (!known) await repository.injectE2ESession({ jid, session: asSignalKeys(bundle()) });
    const encrypted = await repository.encryptMessage({ jid, data: encodeWAMessage(message) });
    this.#sessions.keep(repository.jidToSignalProtocolAddress(jid));
    return encrypted;
  }

  async encryptForGroup(party: Party, group: string, message: proto.IMessage) {
    const { ciphertext, senderKeyDistributionMessage } = await party.identity.repository.encryptGroupMessage({
      group,
      meId: sessionJid(party, { lid: party.phone, device: 0 }),
      data: encodeWAMessage(message),
    });
    const keyMessage: proto.IMessage = {
      senderKeyDistributionMessage: {
        groupId: group,
        axolotlSenderKeyDistributionMessage: senderKeyDistributionMessage,
      },
    };
    return { ciphertext, keyMessage };
  }

  async learnSenderKey(party: Party, from: DeviceAddress, item: proto.Message.ISenderKeyDistributionMessage) {
    const authorJid = sessionJid(party, from);
    await party.identity.repository.processSenderKeyDistributionMessage({ item, authorJid });
  }

  async decryptFromGroup(party: Party, group: string, from: DeviceAddress, ciphertext: Uint8Array) {
    const authorJid = sessionJid(party, from);
    const plain = await party.identity.repository.decryptGroupMessage({
      group,
      authorJid,
      msg: ciphertext,
    });
    return proto.Message.decode(unpadRandomMax16(plain));
  }

  forget(): void {
    this.#sessions.clear();
  }
}

/** libsignal needs a leading type byte, which stanzas omit. */
function asSignalKeys(bundle: KeyBundle): KeyBundle {
  const { signedPreKey, preKey } = bundle;
  return {
    registrationId: bundle.registrationId,
    identityKey: generateSignalPubKey(bundle.identityKey),
    signedPreKey: { ...signedPreKey, publicKey: generateSignalPubKey(signedPreKey.publicKey) },
    ...(preKey ? { preKey: { keyId: preKey.keyId, publicKey: generateSignalPubKey(preKey.publicKey) } } : {}),
  };
}
