/** Lifetime of gateway codes; only for the ring. */
export const GATEWAY_LIFE_S = 45;
