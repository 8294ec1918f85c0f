select number, due_on from invoices where due_on < current_date order by due_on
