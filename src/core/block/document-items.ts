import { barred } from "../text/quoted.ts";
import { type Item, inOrder, quoteLines } from "./item.ts";
import type { Situation } from "./situation.ts";

/** How old the files are in which a workspace describes the agent and its environment. */
export const modelItems = ({ workspace }: Situation): Item[] =>
	inOrder(
		workspace?.selfModelAge && `- self-model: ${workspace.selfModelAge}`,
		workspace?.envModelAge && `- environment model: ${workspace.envModelAge}`,
	);

/** What is not in it, and why. */
export function limitItems({ state }: Situation): Item[] {
	const cut = state.messages.filter((message) => message.cut).length;
	const dropped = [
		...Object.entries(state.dropped).map(([name, count]) => `${count} ${name}`),
		...(cut ? [`parts of ${cut} long messages`] : []),
	];
	return inOrder(
		dropped.length > 0 && `Left out for size, the oldest first: ${dropped.join(", ")}.`,
		state.partial && "The transcript is longer than one reading takes: not all of its beginning was read.",
	);
}

export const planTextItems = ({ state: { plan } }: Situation): Item[] => inOrder(plan && barred(plan.text));

/** Longer ones stand shortened among the user's words. */
const LONG = 300;

export const longMessageItems = ({ state }: Situation): Item[] =>
	inOrder(
		...state.messages
			.filter(({ text }) => text.length > LONG)
			.map(({ at, order, text }) => `\n### ${at || `message ${order}`}\n${quoteLines(text)}`),
	);

export const changeItems = ({ changes = [] }: Situation): Item[] => inOrder(...changes.map((one) => `- ${one}`));

/** What else there is for who goes on. */
export function moreItems({ checkpoint, isLive }: Situation): Item[] {
	if (!checkpoint) return [];
	const { key, session } = checkpoint;
	return inOrder(
		isLive
			? `- a checkpoint of it: \`ccg checkpoint save --session ${session}\``
			: `- all of it: \`ccg show ${key} --session ${session}\`; into a new session: \`ccg checkpoint restore ${key} --next\``,
		"- what was said or done before, on this machine: `ccg recall WORDS`",
	);
}
