// Log of a connection: the part of a logger that this package needs.
export type BusLog = Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>;
