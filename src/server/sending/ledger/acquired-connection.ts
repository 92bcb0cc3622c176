/** What a lane needs to know of its connection when it takes it over. */
export type AcquiredConnection = {
  connectionId: number;
  accountId: string;
  deviceId: string;
  kind: string;
  fence: number;
  desired: string;
};
