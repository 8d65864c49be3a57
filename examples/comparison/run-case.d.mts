export type Case = { name: string; modelUrl: string; show: (text: string) => void };
export function runCase(run: (it: Case) => Promise<void>): Promise<void>;
