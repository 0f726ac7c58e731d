/** A refusal: everything that is wrong, each with its file, line and path. */
import { ApiError } from "../../api/http";
import { ErrorBox } from "../../parts/Messages";

interface Props {
    error: unknown;
    /** What the API calls "template" where it knows no better name. */
    template: string;
    files: readonly string[];
    onEdit: (name: string, line?: number) => void;
}

export function Problems({ error, template, files, onEdit }: Props) {
    if (!(error instanceof ApiError) || error.problems.length === 0)
        return <ErrorBox error={error} />;
    const { problems } = error;
    return (
        <div class="error-box" role="alert">
            <p>
                <strong>
                    {problems.length === 1 ? "One thing is" : `${problems.length} things are`}{" "}
                    wrong.
                </strong>{" "}
                Nothing was changed.
            </p>
            <ul class="create-problems">
                {problems.map((problem, index) => {
                    const { line } = problem;
                    const file = problem.file === "template" ? template : problem.file;
                    return (
                        <li key={index}>
                            {file && (
                                <button
                                    type="button"
                                    class="create-link"
                                    disabled={!files.includes(file)}
                                    onClick={() => onEdit(file, line)}
                                >
                                    {file}
                                    {line ? `:${line}:${problem.column ?? 1}` : ""}
                                </button>
                            )}{" "}
                            {problem.path && <code>{problem.path}</code>} {problem.message}
                            {problem.hint && <>; {problem.hint}</>}
                        </li>
                    );
                })}
            </ul>
        </div>
    );
}
