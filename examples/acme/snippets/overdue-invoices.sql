-- Open invoices past their due date, the oldest first.
SELECT i.number,
       c.name AS customer,
       i.due_on,
       current_date - i.due_on AS days_late,
       i.total - coalesce(sum(p.amount), 0) AS still_open
FROM invoice AS i
JOIN customer AS c ON c.id = i.customer_id
LEFT JOIN payment AS p ON p.invoice_id = i.id
WHERE i.due_on < current_date
GROUP BY i.id, c.name
HAVING i.total > coalesce(sum(p.amount), 0)
ORDER BY i.due_on;
