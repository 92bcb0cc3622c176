/** How long the codes of gateways live, those to scan and those to type; only for the picture of the ring. */
export const GATEWAY_LIFE_S = 45;
