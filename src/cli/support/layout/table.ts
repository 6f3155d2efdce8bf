import { shown } from "../../../core/text/terminal.ts";
import { fitMiddle, fitted, pad } from "./fit.ts";

export interface Column {
	title: string;
	cells: string[];
	/** What goes first where there is no room: the highest. Those of rank 0 stay. */
	rank: number;
	/** Columns it may shrink to before one of a higher rank goes; absent: it keeps its width. */
	least?: number;
	align?: "left" | "right";
	/** Cut in the middle, as ids and paths are. */
	middle?: boolean;
	/** Colours a cell after it was fitted. */
	paint?: (cell: string, row: number) => string;
}

/** Makes columns of rows. */
export const columnsOver =
	<Row>(rows: readonly Row[]) =>
	(title: string, rank: number, cell: (row: Row) => string | number, more: Partial<Column> = {}): Column => ({
		title,
		rank,
		cells: rows.map((row) => String(cell(row))),
		...more,
	});

export interface Table {
	lines: string[];
	/** Titles of the columns that found no room. */
	left: string[];
}

const GAP = 2;

/** Cells below their titles, in at most `width` columns: cells shrink, then columns go, the last ranked first. */
export function table(columns: readonly Column[], width: number, paintTitle = (title: string) => title): Table {
	let shown = [...columns];
	while (leastWidth(shown) > width && shown.some(({ rank }) => rank > 0)) {
		const last = shown.reduce((a, b) => (b.rank >= a.rank ? b : a));
		shown = shown.filter((one) => one !== last);
	}
	const widths = shrunk(shown, width);
	const row = (cell: (column: Column, i: number) => string): string =>
		shown
			.map((column, i) => cell(column, i))
			.join(" ".repeat(GAP))
			.trimEnd();
	const put = ({ align, middle }: Column, text: string, at: number): string =>
		pad((middle ? fitMiddle : fitted)(bare(text), widths[at]!), widths[at]!, align === "right" ? "right" : "left");
	const count = Math.max(0, ...shown.map(({ cells }) => cells.length));
	return {
		lines: [
			row((column, i) => paintTitle(put({ ...column, middle: false }, column.title, i))),
			...Array.from({ length: count }, (_, at) =>
				row((column, i) => {
					const text = put(column, column.cells[at] ?? "", i);
					return column.paint ? column.paint(text, at) : text;
				}),
			),
		],
		left: columns.filter((one) => !shown.includes(one)).map(({ title }) => title),
	};
}

/** A row is a line, whatever a cell holds. */
const bare = (text: string): string => shown(text.replace(/\s/g, " "));
const natural = ({ title, cells }: Column): number =>
	Math.max(...[title, ...cells].map((text) => Bun.stringWidth(bare(text))));
const least = (column: Column): number => Math.min(natural(column), column.least ?? natural(column));
const total = (widths: number[]): number => widths.reduce((sum, one) => sum + one, 0) + GAP * (widths.length - 1);
const leastWidth = (columns: Column[]): number => total(columns.map(least));

/** Takes what is too much from the widest column that may shrink, one by one. */
function shrunk(columns: Column[], width: number): number[] {
	const widths = columns.map(natural);
	const floor = columns.map((column) => (leastWidth(columns) > width ? 1 : least(column)));
	while (total(widths) > width) {
		const room = widths.map((one, i) => (one > floor[i]! ? one : 0));
		const most = Math.max(...room);
		if (most === 0) break;
		widths[room.indexOf(most)]!--;
	}
	return widths;
}
