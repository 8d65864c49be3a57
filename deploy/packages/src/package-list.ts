// The packages that are published: folders of shared/, in dependency order.

export const PACKAGES = ['contracts', 'bus', 'identity', 'service', 'processor', 'client', 'check', 'cli'] as const;
export type PackageFolder = (typeof PACKAGES)[number];

/** The command has a name that `npx` finds; other packages have the name of their manifest. */
export const PUBLISHED_NAMES: Partial<Record<PackageFolder, string>> = { cli: 'millrace' };

/** Oldest version of Node.js that runs the built packages. The workspace itself needs the pinned one. */
export const NODE_RANGE = '>=22.12';

/** Files outside of the package's folder that it contains, by their path in the package. */
export const ASSETS: Partial<Record<PackageFolder, Readonly<Record<string, string>>>> = {
  cli: {
    'assets/millrace.py': 'examples/python/millrace.py',
    'assets/requirements.txt': 'examples/python/requirements.txt',
  },
};

export const isPackageFolder = (name: string): name is PackageFolder => PACKAGES.some((known) => known === name);
