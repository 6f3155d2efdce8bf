import { InvalidArgumentError } from "commander";

/** A whole number of an option, within bounds. What lies outside is refused, not bent to fit. */
export function wholeNumber(least = 0, most = Number.MAX_SAFE_INTEGER): (value: string) => number {
	return (value) => {
		const number = Number(value);
		if (/^\d+$/.test(value) && number >= least && number <= most) return number;
		const range =
			most < Number.MAX_SAFE_INTEGER ? ` from ${least} to ${most}` : least > 0 ? ` of ${least} or more` : "";
		throw new InvalidArgumentError(`it must be a whole number${range}`);
	};
}
