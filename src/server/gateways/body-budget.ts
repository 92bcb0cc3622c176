const KB = 1024;
const MB = 1024 * KB;

/** Bytes of memory that bodies may hold while they arrive and are read: of all accounts, and of one. */
type Room = { most: number; ofAccount: number };

export type BodyRooms = {
  /** What is no larger has a room of its own, which large bodies cannot take. */
  smallest: number;
  small: Room;
  large: Room;
};

/** Together four of the largest bodies. An account has room for one of the largest and some others. */
export const BODY_ROOMS: BodyRooms = {
  smallest: 256 * KB,
  small: { most: 32 * MB, ofAccount: 8 * MB },
  large: { most: 96 * MB, ofAccount: 40 * MB },
};

/** The memory that bodies of webhooks hold. Without shares one account with four uploads that never end would shut the others out. */
export class BodyBudget {
  readonly #smallest: number;
  readonly #small: SharedRoom;
  readonly #large: SharedRoom;

  constructor({ smallest, small, large }: BodyRooms = BODY_ROOMS) {
    this.#smallest = smallest;
    this.#small = new SharedRoom(small);
    this.#large = new SharedRoom(large);
  }

  /** A body that declares so many bytes (0: it does not say). Null: there is no room for it. */
  admit(accountId: string, declared: number): HeldBody | null {
    const isLarge = declared > this.#smallest;
    const room = isLarge ? this.#large : this.#small;
    if (!room.fits(accountId, declared)) return null;
    return new HeldBody(accountId, room, isLarge ? null : { from: this.#smallest, room: this.#large });
  }
}

/** One body in the memory. It holds what has arrived of it until `release`. */
export class HeldBody {
  readonly #accountId: string;
  readonly #outgrows: { from: number; room: SharedRoom } | null;
  #room: SharedRoom;
  #size = 0;

  constructor(accountId: string, room: SharedRoom, outgrows: { from: number; room: SharedRoom } | null) {
    this.#accountId = accountId;
    this.#room = room;
    this.#outgrows = outgrows;
  }

  size(): number {
    return this.#size;
  }

  /** More of it arrived. False: there is no room for that; it holds nothing any more. */
  grow(bytes: number): boolean {
    const size = this.#size + bytes;
    this.release();
    // It had not said how large it is.
    if (this.#outgrows && size > this.#outgrows.from) this.#room = this.#outgrows.room;
    if (!this.#room.fits(this.#accountId, size)) return false;
    this.#size = size;
    this.#room.add(this.#accountId, size);
    return true;
  }

  release(): void {
    if (this.#size > 0) this.#room.add(this.#accountId, -this.#size);
    this.#size = 0;
  }
}

class SharedRoom {
  readonly #room: Room;
  readonly #shares = new Map<string, number>();
  #held = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  fits(accountId: string, bytes: number): boolean {
    const own = this.#shares.get(accountId) ?? 0;
    return this.#held + bytes <= this.#room.most && own + bytes <= this.#room.ofAccount;
  }

  add(accountId: string, bytes: number): void {
    this.#held += bytes;
    const own = (this.#shares.get(accountId) ?? 0) + bytes;
    if (own > 0) this.#shares.set(accountId, own);
    else this.#shares.delete(accountId);
  }
}
