/** One line of the result. Times and ratios are medians of one run of the bench. */
export interface LatencyRow {
	name: string;
	/** `ms`, or what a row without a time counts. */
	unit: "ms" | "MB" | "KB" | "files" | "processes" | "syncs";
	/** `null`: not measured, `note` says why. */
	value: number | null;
	/** Time on the processor. */
	cpuMs?: number;
	/** What the ratio is to, and its median beside this row. */
	base?: string;
	baseMs?: number;
	/** Of what `by` says: until it ended, or on the processor. `apart`: the limit is of the difference, in ms. */
	ratio?: number;
	by?: "wall" | "cpu" | "apart" | undefined;
	/** Highest ratio allowed, or highest value where there is no ratio. */
	limit?: number | undefined;
	note?: string | undefined;
}

/** `null` where there is no limit or no measurement. */
export function isWithin({ value, baseMs, ratio, by, limit }: LatencyRow): boolean | null {
	if (limit === undefined || value === null) return null;
	return (by === "apart" ? value - baseMs! : (ratio ?? value)) <= limit;
}

export function table(rows: LatencyRow[]): string {
	const cells = [["what", "median", "processor", "ratio", "limit", ""], ...rows.map(cellsOf)];
	const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
	const line = (row: string[]): string =>
		row
			.map((cell, i) => (i === 0 || i === 5 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
			.join("  ")
			.trimEnd();
	return [line(cells[0]!), widths.map((width) => "-".repeat(width)).join("  "), ...cells.slice(1).map(line)].join("\n");
}

function cellsOf(row: LatencyRow): string[] {
	const { name, unit, value, cpuMs, base, baseMs, ratio, by, limit, note } = row;
	const within = isWithin(row);
	return [
		name,
		value === null ? "–" : unit === "ms" ? `${value.toFixed(1)} ms` : `${Math.round(value)} ${unit}`,
		cpuMs === undefined ? "" : `${cpuMs.toFixed(1)} ms`,
		by === "apart"
			? `${(value! - baseMs!).toFixed(1)} ms over ${base}`
			: ratio === undefined
				? ""
				: `${ratio.toFixed(2)} × ${base}${by === "cpu" ? ", processor" : ""}`,
		limit === undefined ? "" : `≤ ${limit}`,
		note ?? (within === null ? "" : within ? "ok" : "OVER"),
	];
}
