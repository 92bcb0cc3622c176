export function staleParts(root?: string): ("page" | "server")[];
