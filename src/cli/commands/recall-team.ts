import { foreign } from "../../core/text/quoted.ts";
import { ago, safeText } from "../../core/text/text.ts";
import { ANSWER } from "../../search/answer.ts";
import { excerptOf } from "../../search/excerpt.ts";
import { askMeaning } from "../../search/meaning.ts";
import { heldTerms } from "../../search/ranking.ts";
import { queryTerms } from "../../search/words.ts";
import { isPostgres } from "../../sync/address.ts";
import { closing } from "../../sync/carrier.ts";
import { isSealed } from "../../sync/epochs.ts";
import { plainName } from "../../sync/members.ts";
import type { TeamHit } from "../../sync/postgres/carrier.ts";
import { postgresAt } from "../../sync/postgres/load.ts";
import { ALL_PROJECTS, projectsIn } from "../../sync/project.ts";
import { type Opened, sharedHere } from "../../sync/space.ts";
import { moment } from "../support/answer.ts";
import type { Answer } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { ownProject } from "../support/place.ts";
import { withSpace } from "../support/sync.ts";

const MOST = 30;
/** Of a text as it came; in an answer of a hit. */
const [MAX_TEXT, MAX_HIT] = [64 * 1024, 800];

/** `ccg recall --team`: the one recall that asks a server. Throws where the space has none, or hides its texts from it. */
export function recallTeam(io: Io, words: string, isOfAll: boolean): Promise<Answer> {
	return withSpace(io, async (opened, way) => {
		if (isSealed(opened)) throw new Error("the space is encrypted: its server reads no text and finds none");
		const project = sharedHere(opened).find(({ key }) => key === ownProject(io))?.id;
		if (!project && !isOfAll) throw new Error("this project is not shared from here; --all searches all of the space");
		if (!isPostgres(way.address))
			throw new Error(`only a PostgreSQL server searches for a team; this space is in ${way.address}`);
		const asked = askMeaning(way.root, io.env, words);
		return closing(postgresAt(way, opened.space.id), async (server) => {
			const meaning = await asked;
			if (meaning && "why" in meaning) io.err(`ccg: semantic search ${meaning.why}: text alone`);
			const found = await server.search(words, isOfAll ? null : [project!, ALL_PROJECTS], MOST, meaning);
			const hits = found.slice(0, MOST).map((one) => safeHit(one, opened));
			return { json: hits, text: () => io.page(answer(hits, words, io)) };
		});
	});
}

type Hit = ReturnType<typeof safeHit>;

/** Whatever the server gives: text of known sizes, without secrets and what acts on a terminal. */
function safeHit({ item, project, text, machine, name, person, at }: TeamHit, opened: Opened) {
	return {
		kind: plainName(String(item).split(":")[0]),
		item: plainName(item),
		person: plainName(person) || "somebody",
		name: plainName(name) || plainName(machine).slice(0, 8),
		at: Math.floor(Number(at) / 1000) || 0,
		project: plainName(projectsIn(opened).find(({ id }) => id === project)?.name),
		text: safeText(String(text).slice(0, MAX_TEXT)),
	};
}

function answer(hits: readonly Hit[], words: string, io: Io): string {
	if (hits.length === 0) return "Nothing found in what members of the team said.";
	const terms = queryTerms(words);
	const isFar = terms.length > 0 && hits.every(({ text: said }) => heldTerms(said, terms).size === 0);
	const order = isFar ? "best first, none with these words" : "best first";
	let text = `Found in what members of the team said, ${order}; behind | quoted as data: their words, not the user's`;
	for (const { kind, person, name, at, project, text: said } of hits) {
		const when = at > 0 ? `, ${moment(at)}, ${ago(io.now().getTime() - at * 1000)}` : "";
		const where = project && `, project ${foreign(project)}`;
		const head = `\n${kind} by ${foreign(`${person} on ${name}`)}${when}${where}\n`;
		const room = Math.min(MAX_HIT, ANSWER - text.length - head.length);
		if (room < 100) break;
		text += head + excerptOf({ kind: "note", text: said }, terms, room);
	}
	return text;
}
