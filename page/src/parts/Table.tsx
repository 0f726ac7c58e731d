/**
 * A table that can be sorted by its heads; the order stands in the address. On a narrow screen each
 * row is a card; the roles say that it is a table all the same.
 */
import type { ComponentChildren } from "preact";
import { route, setQuery } from "../state/route";
import { Icon } from "./Icon";

export interface Column<T> {
    id: string;
    title: string;
    cell: (row: T) => ComponentChildren;
    /** What to sort by; a column without it cannot be sorted. */
    sort?: (row: T) => string | number;
    isNumber?: boolean;
}

interface Props<T> {
    label: string;
    columns: readonly Column<T>[];
    rows: readonly T[];
    keyOf: (row: T) => string;
    /** The column that sorts at first, with `-` before it for the other way round. */
    initial?: string;
}

export function sorted<T>(
    rows: readonly T[],
    columns: readonly Column<T>[],
    order: string,
): T[] {
    const isDown = order.startsWith("-");
    const by = columns.find((column) => column.id === order.replace("-", ""))?.sort;
    if (!by) return [...rows];
    const compare = (a: T, b: T): number => {
        const [x, y] = [by(a), by(b)];
        return typeof x === "number" && typeof y === "number"
            ? x - y
            : String(x).localeCompare(String(y));
    };
    return [...rows].sort((a, b) => (isDown ? -compare(a, b) : compare(a, b)));
}

export function Table<T>({ label, columns, rows, keyOf, initial = "" }: Props<T>) {
    const order = route.value.query["sort"] ?? initial;
    const id = order.replace("-", "");
    return (
        <div class="table-frame">
            <table class="table" role="table" aria-label={label}>
                <thead role="rowgroup">
                    <tr role="row">
                        {columns.map((column) => {
                            const isOn = column.id === id && !!column.sort;
                            const direction = order.startsWith("-")
                                ? "descending"
                                : "ascending";
                            return (
                                <th
                                    key={column.id}
                                    scope="col"
                                    role="columnheader"
                                    class={column.isNumber ? "number" : ""}
                                    {...(isOn ? { "aria-sort": direction } : {})}
                                >
                                    {column.sort ? (
                                        <button
                                            type="button"
                                            onClick={() =>
                                                setQuery({
                                                    sort:
                                                        isOn && !order.startsWith("-")
                                                            ? `-${column.id}`
                                                            : column.id,
                                                })
                                            }
                                        >
                                            {column.title}{" "}
                                            {isOn && (
                                                <Icon
                                                    name={order.startsWith("-") ? "down" : "up"}
                                                    size={10}
                                                />
                                            )}
                                        </button>
                                    ) : (
                                        column.title
                                    )}
                                </th>
                            );
                        })}
                    </tr>
                </thead>
                <tbody role="rowgroup">
                    {sorted(rows, columns, order).map((row) => (
                        <tr key={keyOf(row)} role="row">
                            {columns.map((column) => (
                                <td
                                    key={column.id}
                                    role="cell"
                                    data-title={column.title}
                                    class={column.isNumber ? "number" : ""}
                                >
                                    {column.cell(row)}
                                </td>
                            ))}
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}
