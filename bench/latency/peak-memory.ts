/**
 * Runs one command and prints the peak memory of its largest process, in bytes. A process of its own, because the kernel
 * counts what the spawning process holds as the child's until it has executed (vfork): started by the bench itself, which
 * holds whole transcripts, every hook would seem to need that much. The floor is this script's own size, about 40 MB.
 *
 *   bun peak-memory.ts STDIN-FILE COMMAND ARGUMENT …      environment and folder are inherited
 */
const [stdin, ...argv] = process.argv.slice(2);
const run = Bun.spawnSync(argv, { stdin: Bun.file(stdin!), stdout: "ignore", stderr: "ignore" });
process.stdout.write(`${run.resourceUsage?.maxRSS ?? Number.NaN}\n`);
