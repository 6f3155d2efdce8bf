/**
 * How identifiers are ranked: data, fitted by `bench/fit-identifiers.ts` on real sessions for what the agent's next 25
 * tool calls use and the summary lacks. Cross-validated by session (figures and method: `bench/README.md`).
 */
export const IDENTIFIER_WEIGHTS = {
	/** What an occurrence counts, by where it stands. */
	places: {
		written: 5.4,
		replaced: 9.3,
		path: 6.7,
		command: 1.7,
		pattern: 0.06,
		input: 9.3,
		result: 0.48,
		lookedAt: 0.5,
		said: 0.23,
		user: 1.25,
	},
	/** Half-lives in calls and messages: the work of the moment, and the session's. */
	halfLives: { near: 15, far: 210 },
	/** How much the session's score adds to the moment's. */
	farShare: 0.34,
	/** Exponent of the score and of the cost in characters. */
	saturation: 0.26,
	lengthPenalty: 0.4,
	/** A path beside the files that are listed anyway. */
	pathFactor: 0.51,
};

export type NamePlace = keyof typeof IDENTIFIER_WEIGHTS.places;
