const KB = 1024;
const MB = 1024 * KB;

/** Bytes that arriving bodies may use: in all, per account. */
type Room = { most: number; ofAccount: number };

export type BodyRooms = {
  /** Small bodies have their own budget, which large ones cannot take. */
  smallest: number;
  small: Room;
  large: Room;
};

/** Four maximum bodies; per account one and some smaller ones. */
export const BODY_ROOMS: BodyRooms = {
  smallest: 256 * KB,
  small: { most: 32 * MB, ofAccount: 8 * MB },
  large: { most: 96 * MB, ofAccount: 40 * MB },
};

/** Without account shares, four endless uploads of one account would block the others. */
export class BodyBudget {
  readonly #smallest: number;
  readonly #small: SharedRoom;
  readonly #large: SharedRoom;

  constructor({ smallest, small, large }: BodyRooms = BODY_ROOMS) {
    this.#smallest = smallest;
    this.#small = new SharedRoom(small);
    this.#large = new SharedRoom(large);
  }

  /** `declared` 0: unknown size. Null: no room. */
  admit(accountId: string, declared: number): HeldBody | null {
    const isLarge = declared > this.#smallest;
    const room = isLarge ? this.#large : this.#small;
    if (!room.fits(accountId, declared)) return null;
    return new HeldBody(accountId, room, isLarge ? null : { from: this.#smallest, room: this.#large });
  }
}

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

  /** False: no room, and everything is released. */
  grow(bytes: number): boolean {
    const size = this.#size + bytes;
    this.release();
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
