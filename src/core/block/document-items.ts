import { quoteWithBars } from "../text/quoted.ts";
import { type Item, itemsInOrder, quoteLines } from "./item.ts";
import type { SectionFacts } from "./situation.ts";

/** How old the workspace's two files are that describe the agent and its environment. */
export const modelAgeItems = ({ workspace }: SectionFacts): Item[] =>
	itemsInOrder(
		workspace?.selfModelAge && `- self-model: ${workspace.selfModelAge}`,
		workspace?.envModelAge && `- environment model: ${workspace.envModelAge}`,
	);

/** Lines on what the state does not hold: entries dropped for size, cut messages, a transcript not read whole. */
export function leftOutItems({ state }: SectionFacts): Item[] {
	const cutMessages = state.messages.filter(({ cut }) => cut).length;
	const dropped = [
		...Object.entries(state.dropped).map(([name, count]) => `${count} ${name}`),
		...(cutMessages ? [`parts of ${cutMessages} long messages`] : []),
	];
	return itemsInOrder(
		dropped.length > 0 && `Left out for size, the oldest first: ${dropped.join(", ")}.`,
		state.partial && "The transcript is longer than one reading takes: not all of its beginning was read.",
	);
}

/** All of the last plan, quoted. */
export const planTextItems = ({ state: { plan } }: SectionFacts): Item[] =>
	itemsInOrder(plan && quoteWithBars(plan.text));

/** Longer messages stand shortened among the user's words. */
const LONG_MESSAGE = 300;
/** The user's long messages whole, each below its time. */
export const longMessageItems = ({ state }: SectionFacts): Item[] =>
	itemsInOrder(
		...state.messages
			.filter(({ text }) => text.length > LONG_MESSAGE)
			.map(({ at, order, text }) => `\n### ${at || `message ${order}`}\n${quoteLines(text)}`),
	);

/** What is not as the checkpoint has it. */
export const changeItems = ({ changes = [] }: SectionFacts): Item[] =>
	itemsInOrder(...changes.map((change) => `- ${change}`));

/** The commands that give more of the session to somebody who goes on with it. */
export function furtherCommandItems({ checkpoint, isLive }: SectionFacts): Item[] {
	if (!checkpoint) return [];
	const { key, session } = checkpoint;
	return itemsInOrder(
		isLive
			? `- a checkpoint of it: \`ccg checkpoint save --session ${session}\``
			: `- all of it: \`ccg show ${key} --session ${session}\`; into a new session: \`ccg checkpoint restore ${key} --next\``,
		"- what was said or done before, on this machine: `ccg recall WORDS`",
	);
}
