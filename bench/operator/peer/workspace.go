package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Account is a person as the service tells of one.
type Account struct {
	ID       string `json:"id"`
	Username string `json:"username"`
	Locked   bool   `json:"isLocked"`
}

// Workspace calls the service and remembers its people, so that one LIST a pass is all that reading costs.
type Workspace struct {
	url, id, secret string
	http            *http.Client

	listed chan struct{}
	once   sync.Once
	mutex  sync.Mutex
	people map[string]Account
}

func newWorkspace(url, id, secret string) *Workspace {
	transport := &http.Transport{MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute}
	return &Workspace{
		url: url, id: id, secret: secret,
		http:   &http.Client{Transport: transport, Timeout: 30 * time.Second},
		listed: make(chan struct{}),
	}
}

func (w *Workspace) call(ctx context.Context, method, path string, form url.Values, answer any) error {
	var body io.Reader
	if form != nil {
		body = bytes.NewBufferString(form.Encode())
	}
	request, err := http.NewRequestWithContext(ctx, method, w.url+path, body)
	if err != nil {
		return err
	}
	request.SetBasicAuth(w.id+"@api", w.secret)
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := w.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 && !(method == http.MethodDelete && response.StatusCode == http.StatusNotFound) {
		return fmt.Errorf("%s %s: %d %s", method, path, response.StatusCode, text)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}

// List reads the people again; callers that wait for the first reading continue.
func (w *Workspace) List(ctx context.Context) error {
	var accounts []Account
	if err := w.call(ctx, http.MethodGet, "/api/v2/person", nil, &accounts); err != nil {
		return err
	}
	people := make(map[string]Account, len(accounts))
	for _, account := range accounts {
		people[strings.ToLower(account.Username)] = account
	}
	w.mutex.Lock()
	w.people = people
	w.mutex.Unlock()
	w.once.Do(func() { close(w.listed) })
	return nil
}

func (w *Workspace) find(username string) (Account, bool) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	account, found := w.people[strings.ToLower(username)]
	return account, found
}

func (w *Workspace) keep(account Account) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.people[strings.ToLower(account.Username)] = account
}

// Converge creates, locks or unlocks the person, with as many calls as that takes.
func (w *Workspace) Converge(ctx context.Context, username string, spec PersonSpec) (Account, error) {
	account, found := w.find(username)
	if !found {
		form := url.Values{"username": {username}, "name": {spec.Name}, "email": {spec.Email}}
		if err := w.call(ctx, http.MethodPost, "/api/v2/person", form, &account); err != nil {
			return account, err
		}
		w.keep(account)
	}
	if account.Locked == spec.Locked {
		return account, nil
	}
	return account, w.setLocked(ctx, account, spec.Locked)
}

// Remove deletes the person, who must be locked before.
func (w *Workspace) Remove(ctx context.Context, username string) error {
	account, found := w.find(username)
	if !found {
		return nil
	}
	if !account.Locked {
		if err := w.setLocked(ctx, account, true); err != nil {
			return err
		}
	}
	if err := w.call(ctx, http.MethodDelete, "/api/v2/person/"+account.ID, nil, nil); err != nil {
		return err
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	delete(w.people, strings.ToLower(username))
	return nil
}

func (w *Workspace) setLocked(ctx context.Context, account Account, locked bool) error {
	verb := map[bool]string{true: "lock", false: "unlock"}[locked]
	if err := w.call(ctx, http.MethodPut, "/api/v2/person/"+account.ID+"/"+verb, nil, nil); err != nil {
		return err
	}
	account.Locked = locked
	w.keep(account)
	return nil
}
