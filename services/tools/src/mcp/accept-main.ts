// `npm run -s mcp -- FILE`: prints how the tools of the servers in a file of MCP_SERVERS differ from the accepted ones. With
// --accept it writes all definitions into the file; names after it (SERVER or SERVER_TOOL) select some.
import { readMcpFile } from './mcp-file.ts';
import { describeChange, listChanges, writeAccepted } from './accept-tools.ts';

const [path, option, ...names] = process.argv.slice(2);
if (path === undefined || (option !== undefined && option !== '--accept')) {
  process.stderr.write('Usage: npm run -s mcp -- FILE [--accept [SERVER | SERVER_TOOL]…]\n');
  process.exit(2);
}

const { folder, servers } = await readMcpFile(path, { isRepair: true });
let failed = 0;
let open = 0;
for (const [server, config] of servers) {
  try {
    const changes = await listChanges(server, config, { folder, env: process.env });
    for (const line of changes.flatMap(describeChange)) process.stdout.write(`${line}\n`);
    const other = changes.filter(({ state }) => state !== 'accepted' && state !== 'refused');
    failed += changes.filter(({ state }) => state === 'refused').length;
    const isChosen = (name: string) =>
      names.length === 0 || names.includes(server) || names.includes(`${server}_${name}`);
    const chosen = option === '--accept' ? other.filter(({ name }) => isChosen(name)) : [];
    if (chosen.length > 0) await writeAccepted(path, chosen);
    open += other.length - chosen.length;
  } catch (error) {
    failed += 1;
    process.stderr.write(`${server}: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}
if (open > 0) process.stderr.write(`${open} definitions are not accepted: repeat the command with --accept.\n`);
process.exitCode = failed > 0 || open > 0 ? 1 : 0;
