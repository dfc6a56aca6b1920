/** Says what rules could not see of players and orders, as the token lacks the scope `support`. */
export function LeftOut({ of }: Readonly<{ of: readonly string[] }>) {
  if (of.length === 0) return null
  return (
    <p className="quiet">
      Without the scope <code>support</code>, rules do not see {of.join(', ')}. Test such rules on made-up players, in
      the test cases of a draft.
    </p>
  )
}
