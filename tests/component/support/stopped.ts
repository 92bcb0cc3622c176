export const STOPPED = "the browser draws this page no more, so no test of it can click";
