/** Access to one instance, read before each check, because addresses and keys change. */
export type InstanceAccess = {
  baseUrl: string;
  /** Belongs to the operator. */
  provided?: boolean;
  /** Instance token if known, else the server's key. */
  apiKey: string;
  /** Server's key, if `apiKey` is an instance token and the server is the account's. */
  serverKey?: string | null;
  name: string;
  /** `WHATSAPP-BAILEYS`, `WHATSAPP-BUSINESS`, `EVOLUTION`. */
  integration: string;
  number: string | null;
};

/** Null: the server was forgotten, or withdrawn by the operator. */
export type ReadAccess = (connectionId: number) => Promise<InstanceAccess | null>;

/** As the gateway reports it. */
export type Profile = { phone: string | null; profileName: string | null; pictureUrl: string | null };
export type NoteProfile = (connectionId: number, profile: Profile) => Promise<void>;
