// Where a connection says what an operator should know: the little of a logger that this package needs.
export type BusLog = Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>;
