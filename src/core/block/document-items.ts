import { barred } from "../text/quoted.ts";
import { type Item, inOrder, quoteLines } from "./item.ts";
import type { Situation } from "./situation.ts";

/** The ages of the workspace's two files that describe the agent and its environment. */
export const modelItems = ({ workspace }: Situation): Item[] =>
	inOrder(
		workspace?.selfModelAge && `- self-model: ${workspace.selfModelAge}`,
		workspace?.envModelAge && `- environment model: ${workspace.envModelAge}`,
	);

/** Lines on what the state does not hold: entries dropped for size, cut messages, a transcript not read whole. */
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

/** Longer messages stand shortened among the user's words. */
const LONG = 300;
/** The user's long messages whole, each below its time. */
export const longMessageItems = ({ state }: Situation): Item[] =>
	inOrder(
		...state.messages
			.filter(({ text }) => text.length > LONG)
			.map(({ at, order, text }) => `\n### ${at || `message ${order}`}\n${quoteLines(text)}`),
	);

export const changeItems = ({ changes = [] }: Situation): Item[] => inOrder(...changes.map((one) => `- ${one}`));

/** The commands that give more of the session to somebody who goes on with it. */
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
