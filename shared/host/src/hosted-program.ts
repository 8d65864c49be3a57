// A program that a host runs although it is no service on the bus.

export type HostedProgram = {
  name: string;
  run(
    env: Readonly<Record<string, string | undefined>>,
    writeLine: (line: string) => void,
  ): Promise<{ url: string; stop(): Promise<void> }>;
};
