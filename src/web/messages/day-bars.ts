export const dayBarsText = { today: "hoje" };
