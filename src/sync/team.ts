import { redactSecrets } from "../core/redact/secrets.ts";
import { embedEach } from "../search/meaning.ts";
import { isOn, loadConfig } from "../store/config/config.ts";
import type { Env } from "../store/paths.ts";
import { isSealed } from "./epochs.ts";
import { type Item, newItems } from "./items.ts";
import { plainName } from "./members.ts";
import type { Embedded, PostgresCarrier, TeamText } from "./postgres/carrier.ts";
import { writerOf } from "./shared.ts";
import type { Opened } from "./space.ts";
import { isSharedWith, type Log, type Value, vectorOf } from "./state.ts";
import { factOf, keepFact } from "./tables.ts";

/** A task that waits, since another machine has its lease. */
export interface HeldTask {
	item: string;
	/** `ann on laptop`. */
	by: string;
	/** ISO 8601. */
	until: string;
}

/** For so long a task is this machine's after each change of it but the last. */
const LEASE_S = 30 * 60;

/** What of these items may be offered: a changed task where this machine gets its lease. The others wait, and are told to `held`. */
export async function withLeases(
	log: Log,
	server: PostgresCarrier,
	project: string,
	items: readonly Item[],
	held: HeldTask[],
): Promise<Item[]> {
	const waits = new Set<string>();
	for (const { item, value } of newItems(log, items).filter(({ field }) => field === "state")) {
		const isDone = (value as { status?: unknown }).status === "complete";
		// (no answer: somebody who sees another project alone has taken that name)
		const lease = await server.lease(item, project, isDone ? 1 : LEASE_S);
		if (!lease || lease.mine) continue;
		waits.add(item);
		held.push({ item, by: writerOf(log, plainName(lease.machine)), until: new Date(lease.until).toISOString() });
	}
	return items.filter(({ item }) => !waits.has(item));
}

/** What may be searched. */
const TOLD = /^(?:note|task|checkpoint|summary|passage):/;
/** So many go at once. */
const AT_ONCE = 100;

/**
 * Tells a server what this machine says, for the team's search: what stands of it here and not, or otherwise, there; what stands here no
 * more is taken back. Nothing where the space is sealed.
 */
export async function tellTeam(log: Log, server: PostgresCarrier): Promise<void> {
	const state = JSON.stringify([...vectorOf(log)]);
	if (isSealed(log) || factOf(log.rows, "told") === state) return;
	const there = new Map((await server.told(log.machine)).map(({ item, clock }) => [item, clock]));
	const texts: TeamText[] = [];
	for (const { item, project, clock, value } of saidHere(log)) {
		if (!isSharedWith(log, project)) continue;
		if (there.get(item) !== clock) texts.push({ item, project, clock, text: textIn(value) });
		there.delete(item);
	}
	// (of no project: a later text of another machine is not hidden by it, an earlier one neither)
	for (const [item, clock] of there) texts.push({ item, project: null, clock: `${clock}-`, text: null });
	for (let i = 0; i < texts.length; i += AT_ONCE) await server.tell(texts.slice(i, i + AT_ONCE));
	keepFact(log.rows, "told", state);
}

/** Vectors that one exchange makes, one text a request: a slow model makes some of them in that time, the rest wait for the next. */
const [MOST_VECTORS, EMBED_MS] = [32, 5_000];
/** A model reads no more. */
const MOST_TEXT = 4_000;

/**
 * Gives a server that finds texts by their meaning the vectors that those of this machine lack, the newest first, where semantic search is
 * on here. Nothing where the space is sealed. Never throws: what is missing is asked for again by the next exchange.
 */
export async function embedTeam(log: Opened, server: PostgresCarrier, env: Env): Promise<void> {
	const { embeddings: config } = loadConfig(log.store.root).config;
	if (isSealed(log) || !isOn(config)) return;
	const signal = AbortSignal.timeout(EMBED_MS);
	const embedded: Embedded[] = [];
	try {
		const lacking = await server.unembedded(log.machine, config.model, MOST_VECTORS);
		const said = new Map(lacking.length > 0 ? saidHere(log).map((one) => [one.item, one]) : []);
		for (const { item, clock } of lacking) {
			const one = said.get(item);
			const text = one?.clock === clock && textIn(one.value)?.slice(0, MOST_TEXT).toWellFormed();
			if (!text) continue;
			const [made] = await embedEach(config, [{ text }], env, signal);
			embedded.push({ item, clock, vector: made?.vector ?? null });
		}
	} catch {
		// the endpoint's failure is told by recall and `ccg doctor`
	}
	// one that refuses everything is at fault itself
	if (embedded.some(({ vector }) => vector)) await server.embed(config.model, embedded).catch(() => {});
}

/** This machine's values that stand, of each item the last. */
function saidHere({ rows, machine }: Log): Value[] {
	const sql = "SELECT * FROM live WHERE machine = ? AND value IS NOT NULL AND project IS NOT NULL ORDER BY clock";
	const found = rows.query<Value & { value: string }, [string]>(sql).all(machine);
	return [...new Map(found.filter(({ item }) => TOLD.test(item)).map((one) => [one.item, one])).values()];
}

/** All texts of a value, as it is kept (JSON); `null`: it was deleted. */
function textIn(json: unknown): TeamText["text"] {
	const value: unknown = JSON.parse(String(json));
	return value === null ? null : redactSecrets(wordsOf(value).join("\n"));
}

const wordsOf = (value: unknown): string[] =>
	typeof value === "string" ? [value] : value && typeof value === "object" ? Object.values(value).flatMap(wordsOf) : [];
