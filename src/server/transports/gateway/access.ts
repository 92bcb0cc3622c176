/** What it takes to speak for one instance: read anew before each look at it, since people change addresses and keys. */
export type InstanceAccess = {
  /** Origin and path in front of the calls, without a slash at the end. */
  baseUrl: string;
  /** The server is the operator's. */
  provided?: boolean;
  /** The instance's own token where we know it, else the server's key. */
  apiKey: string;
  /** The server's own key, where `apiKey` is an instance's token and the server is the account's. */
  serverKey?: string | null;
  /** Its name at the gateway. */
  name: string;
  /** `WHATSAPP-BAILEYS`, `WHATSAPP-BUSINESS`, `EVOLUTION`. */
  integration: string;
  /** The digits to link, as typed at creation. */
  number: string | null;
};

/** Null: nobody here speaks for it any more (its server was forgotten, or withdrawn by the operator). */
export type ReadAccess = (connectionId: number) => Promise<InstanceAccess | null>;

/** What the gateway tells of whoever is linked. */
export type Profile = { phone: string | null; profileName: string | null; pictureUrl: string | null };
export type NoteProfile = (connectionId: number, profile: Profile) => Promise<void>;
